/** What an agent or its operator asks when a session starts, as whole processes, on a vault of many sessions. */
import { BARE_NODE, invoke } from '../cli.ts';
import { sized, type Context } from '../context.ts';
import { longHistory } from '../long-history.ts';
import { takeTurns } from '../measure.ts';
import { atMostOver, row, type Row } from '../row.ts';

export async function sessionRows(context: Context): Promise<Row[]> {
  const { memgit } = await longHistory(context);
  const rows: Row[] = [];
  for (const args of [['brief'], ['session', 'list']]) {
    const figures = await takeTurns({ count: sized(context, 1, 10, 20) }, { memgit: { run: invoke(memgit(...args)) }, node: { run: invoke(BARE_NODE) } });
    rows.push(row(`memgit ${args.join(' ')}`, 'ms', figures.memgit, [atMostOver('node -e 0', figures.node, 200)]));
  }
  return rows;
}
