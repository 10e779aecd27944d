/** An actor that answers with what it is sent. */
export default {
  kind: 'echo',
  start: () => ({ receive: ({ value }) => value }),
};
