import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageNameOf, roomOfPage } from '../../src/pages/room-names.js';

const text = fc.string({ unit: fc.constantFrom('a', '/', '%', '2', '5', 'F'), minLength: 1, maxLength: 8 });

describe('what pages are called on disk', () => {
  it('P6 says mind and room, whatever these are called', () => {
    expect(pageNameOf('ada', 'main')).toBe('ada/main');
    fc.assert(
      fc.property(text, text, (mind, room) => {
        expect(roomOfPage(pageNameOf(mind, room))).toEqual({ mind, room });
      }),
    );
  });
});
