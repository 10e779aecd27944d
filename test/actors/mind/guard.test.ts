import { describe, expect, it } from 'vitest';
import { createGuard } from '../../../src/actors/mind/guard.js';

describe('E5 breaking the literal texts of special tokens', () => {
  const broken = (specials: string[], text: string) => createGuard(specials)(text, '!');

  it.each([
    [['<s>'], 'a<s>b<s>', 'a<!s>b<!s>'],
    [['ab', 'bc'], 'abc', 'a!b!c'],
    [['<s>', '<s>x'], '<s>x', '<!s>x'],
    [['aa'], 'aaaa', 'a!a!a!a'],
    [['(.*)', '[x]', 'a|b', '^$'], '(.*)[x]a|b^$c', '(!.*)[!x]a!|b^!$c'],
    [['🐋x'], 'a🐋xb', 'a🐋!xb'],
  ])('E5 %j in %j', (specials, text, expected) => {
    expect(broken(specials, text)).toBe(expected);
  });

  it('E5 what cannot be broken, single characters and whitespace, is left alone', () => {
    expect(broken(['🐋', '\n', '  ', '\n\n'], '🐋  \n\n')).toBe('🐋  \n\n');
    expect(broken([], 'a')).toBe('a');
  });

  it('E5 thousands of special tokens cost a long text little', () => {
    const guard = createGuard(Array.from({ length: 6000 }, (_, i) => `<unused${i}>`));
    const text = 'The <quick> <unused61> fox. '.repeat(10_000);
    const begun = performance.now();
    expect(guard(text, '!').length).toBe(text.length + 10_000);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
