/**
 * `npm run bench`: measures memgit against what its users would pick instead and prints one table.
 *
 *     npm run bench -- [--quick | --full] [--json] [group...]
 *
 * `--quick` makes everything tiny, to see that the bench still runs; its figures mean nothing. `--full` adds the rivals that
 * take minutes. With names of groups only these are run.
 */
import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { ready } from '../src/crypto/sodium.ts';
import { makeContext, type Context } from './context.ts';
import type { Row } from './row.ts';
import { agentRows } from './rows/agents.ts';
import { fileRows } from './rows/files.ts';
import { historyRows } from './rows/history.ts';
import { importRows } from './rows/import.ts';
import { scaleRows } from './rows/scale.ts';
import { sessionRows } from './rows/sessions.ts';
import { storageRows } from './rows/storage.ts';
import { storeRows } from './rows/store.ts';
import { syncRows } from './rows/sync.ts';
import { renderTable } from './table.ts';

const GROUPS: Readonly<Record<string, (context: Context) => Promise<Row[]>>> = {
  files: fileRows,
  agents: agentRows,
  scale: scaleRows,
  storage: storageRows,
  store: storeRows,
  import: importRows,
  history: historyRows,
  sessions: sessionRows,
  sync: syncRows,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, full: { type: 'boolean' }, json: { type: 'boolean' } },
});
const unknown = positionals.find((name) => !Object.hasOwn(GROUPS, name));
if (unknown !== undefined) throw new TypeError(`expected groups out of ${Object.keys(GROUPS).join(', ')}, got ${unknown}`);

await ready;
const context = makeContext(values.quick === true ? 'quick' : values.full === true ? 'full' : 'normal', (text) => process.stderr.write(`${text}\n`));
const rows: Row[] = [];
try {
  for (const [name, measure] of Object.entries(GROUPS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const started = performance.now();
    rows.push(...(await measure(context)));
    context.say(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
} finally {
  // What was measured before a failure is worth seeing too.
  print();
  for (const folder of [context.dir, context.scratch]) rmSync(folder, { recursive: true, force: true });
}

function print(): void {
  if (values.json !== true) {
    console.log(renderTable(rows));
    return;
  }
  const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model, platform: process.platform };
  console.log(JSON.stringify({ scale: context.scale, machine, rows }, undefined, 2));
}
