/** An actor that answers with what it is sent, and knows how often. */
class Echo {
  answers = 0;

  receive({ value }) {
    this.answers++;
    return value;
  }
}

export default { kind: 'echo', start: () => new Echo() };
