/**
 * Numbers as people read them.
 */

export { duration } from '../observer/view.js';

/** 1234567 as "1,234,567". */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** "1 mind", "12 minds". */
export const counted = (count: number, what: string): string =>
  `${whole(count)} ${what}${count === 1 ? '' : 's'}`;

/** Bytes in the nearest binary unit: "4.7 MiB". */
export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${units[unit]}`;
}
