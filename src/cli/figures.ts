/**
 * Numbers as people read them.
 */

export { duration, size } from '../observer/view.js';

/** 1234567 as "1,234,567". */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** "1 mind", "12 minds". */
export const counted = (count: number, what: string): string =>
  `${whole(count)} ${what}${count === 1 ? '' : 's'}`;
