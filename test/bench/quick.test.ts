/** The bench runs from end to end and every row has figures. How large these are is nobody's business here. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Row } from '../../bench/row.ts';

test('npm run bench -- --quick measures every job', () => {
  const output = execFileSync(process.execPath, [join('scripts', 'run-ts.mjs'), join('bench', 'main.ts'), '--quick', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const { rows } = JSON.parse(output) as { rows: Row[] };
  const measured = rows.filter(({ remark }) => remark?.startsWith('skipped') !== true);
  expect(measured.length).toBeGreaterThan(25);
  for (const { job, memgit, comparisons } of measured) {
    expect([job, memgit!.median > 0 && memgit!.median <= memgit!.p95]).toEqual([job, true]);
    for (const { ratio, figure } of comparisons) expect([job, figure === undefined || ratio! > 0]).toEqual([job, true]);
  }
}, 180_000);
