/**
 * `troupe memory`: the memory budget of a running troupe, a bar for each pool, and what happened under pressure.
 */
import type { MemorySeen, PoolSeen } from '../observer/memory.js';
import { type AttachOptions, attach } from './attach.js';
import { counted, size, whole } from './figures.js';
import { lined } from './table.js';

/** Columns of a bar. */
const BAR = 40;
const LEGEND = '# stays  = can move  - asked back  . free';

/** Answers the exit code. */
export async function memory(options: AttachOptions): Promise<number> {
  const client = await attach(options);
  try {
    process.stdout.write(`${describeMemory(await client.ask({ type: 'memory' })).join('\n')}\n`);
  } finally {
    client.close();
  }
  return 0;
}

export function describeMemory({ pools, cells, alerts, quarantined }: MemorySeen): string[] {
  const { total, granted, idle, saved, asked } = cells;
  const sharing = saved === 0 ? '' : `, ${whole(saved)} saved by sharing`;
  const small = `memory was short, and the context was made smaller: ${whole(total)} of the ${whole(asked ?? total)} cells asked for`;
  return [
    ...pools.flatMap((pool) => [...describePool(pool), '']),
    LEGEND,
    `cells  ${whole(granted)} of ${counted(total, 'cell')} granted, ${whole(idle)} held by idle lanes${sharing}`,
    ...(asked === undefined ? [] : [small]),
    ...quarantined.map((name) => `${name} threw too often, and are asked for memory no more`),
    ...(alerts.length === 0 ? [] : ['', ...alerts.map(({ says }) => says)]),
  ];
}

function describePool(pool: PoolSeen): string[] {
  const { name, budgetBytes, heldBytes, capacityBytes, pressure, level, pendingBytes, kinds } = pool;
  const full = capacityBytes === 0 ? 'not managed' : `${level}, ${whole(100 * pressure)} % of what can move`;
  const pending = pendingBytes > 0 ? `, ${size(pendingBytes)} asked back` : '';
  const rows = kinds.map(({ kind, bytes, floorBytes }) => [
    ...['', kind, size(bytes), stays(bytes, floorBytes)],
  ]);
  return [
    `${name}  [${bar(pool)}]  ${size(heldBytes)} of ${size(budgetBytes)}: ${full}${pending}`,
    ...lined(rows).map((line) => `  ${line}`),
  ];
}

const stays = (bytes: number, floorBytes: number): string => {
  if (floorBytes === 0) return '';
  return floorBytes === bytes ? 'stays' : `${size(floorBytes)} of it stay`;
};

function bar({ budgetBytes, heldBytes, floorBytes, pendingBytes }: PoolSeen): string {
  const whole = Math.max(budgetBytes, heldBytes, 1);
  const columns = (bytes: number): number => Math.round((BAR * bytes) / whole);
  const asked = Math.min(pendingBytes, heldBytes - floorBytes);
  const ends = [columns(floorBytes), columns(heldBytes - asked), columns(heldBytes), BAR];
  return ['#', '=', '-', '.']
    .map((mark, i) => mark.repeat(Math.max(0, (ends[i] as number) - (ends[i - 1] ?? 0))))
    .join('');
}
