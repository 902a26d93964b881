/** `memgit verify`: whether everything in a vault is what it was when it was written. */
import type { VerifyReport } from '../../history/findings.ts';
import type { VerifyOptions } from '../../history/verify.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { DAMAGE, OK, OPENING } from '../exits.ts';
import { plural, shortOid } from '../format.ts';
import { withVault } from '../open.ts';
import { flag } from '../parameters.ts';
import { Progress } from '../progress.ts';
import { array, boolean, integer, object, oneObject, string } from '../shape.ts';
import { visibleLine } from '../visible.ts';

const PROBLEM = object(
  'One of them',
  { code: string('Error code'), message: string('What is wrong') },
  { oid: string('The damaged object'), since: string('Oid of the commit that brought it in'), path: string('The file that is concerned, where it is known') },
);

const STEP = object('One of the steps', {
  name: string('Its name'),
  checked: integer('How many things it looked at'),
  problems: array('What is damaged', PROBLEM),
});

export const verify = defineCommand({
  name: 'verify',
  group: 'Check',
  summary: 'Check every object, signature and version of a memory',
  details: 'Reads everything and changes nothing. Ends with 3 when something is damaged, and says what, and since which commit.',
  args: {},
  options: { quick: flag('--quick', 'Check the memory as it stands only, not its history') },
  json: oneObject({
    ok: boolean('Whether nothing is damaged'),
    head: string('Oid of the newest commit, from which everything is found'),
    steps: array('What was checked', STEP),
  }),
  examples: [
    ['memgit verify', 'check everything'],
    ['memgit verify -C backup.git --json', 'check a clone, for a program'],
  ],
  exits: [...OPENING, 3],
  run: async (context, { quick }) =>
    withVault(context, async (vault) => {
      const progress = new Progress(context.io);
      const onProgress: VerifyOptions['onProgress'] = ({ phase, done, total }) => progress.show(`verify: ${PHASES[phase]} ${done} of ${total} commits`);
      const report = await vault.verify({ quick, signal: context.io.signal, onProgress }).finally(() => progress.clear());
      if (context.json) await context.out.json(report);
      else await printReport(context, report);
      return report.ok ? OK : DAMAGE;
    }),
});

const PHASES = { find: 'found', check: 'checked' } as const;

async function printReport(context: Context, { ok, steps }: VerifyReport): Promise<void> {
  const { out } = context;
  for (const { name, checked, problems } of steps) {
    await out.line(`${problems.length === 0 ? out.style.added('ok     ') : out.style.removed('damaged')} ${name} (${checked})`);
    for (const { message, oid, since, path } of problems) {
      const facts = [oid && `object ${shortOid(oid)}`, path && visibleLine(path), since && `since commit ${shortOid(since)}`].filter(Boolean);
      await out.line(`        ${[visibleLine(message), ...facts].join(', ')}`);
    }
  }
  if (ok) return;
  const count = steps.reduce((sum, { problems }) => sum + problems.length, 0);
  context.say(`error: found ${plural(count, 'problem')}\nhint: restore what is damaged from a backup; what is not named here is sound`);
}
