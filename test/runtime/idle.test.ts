import { expect, test } from 'vitest';
import { Stage } from './stage.js';

test('R1 a system in which nothing happens uses no processor', async () => {
  const stage = await Stage.open();
  const ids = await Promise.all(Array.from({ length: 100 }, () => stage.spawn()));
  await Promise.all(ids.map((id) => stage.ask(id, { type: 'echo' })));
  const slices = (): number[] =>
    stage.system
      .inspect()
      .threads.slice(1)
      .map(({ sinceSliceMs }) => sinceSliceMs);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = slices();
  await new Promise((resolve) => setTimeout(resolve, 300));
  // No thread has begun a slice meanwhile.
  for (const [i, since] of slices().entries())
    expect(since).toBeGreaterThanOrEqual((before[i] as number) + 290);
  await stage.close();
});
