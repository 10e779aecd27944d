/**
 * Whose process this is, by number: what the system itself goes by. A user needs no name for it, and in a container often has
 * none.
 */

/** undefined: the system has no numbers for users. */
export const userNumber = (): number | undefined => process.geteuid?.();

/** Whether what belongs to the user of that number belongs to this process's; so does all where users have none. */
export function isOwn(owner: number): boolean {
  const user = userNumber();
  return user === undefined || user === owner;
}
