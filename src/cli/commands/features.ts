/** `memgit features`: the checklist, and what passes. */
import { MemgitError } from '../../errors.ts';
import type { Feature } from '../../session/checklist.ts';
import type { Features } from '../../session/features.ts';
import type { Vault } from '../../vault.ts';
import { defineCommand, type Parameter } from '../command.ts';
import type { Context } from '../context.ts';
import { CHANGING, OK } from '../exits.ts';
import { given } from '../globals.ts';
import { readInput } from '../input.ts';
import { withVault } from '../open.ts';
import { optional, text } from '../parameters.ts';
import { array, boolean, objectPerLine, string } from '../shape.ts';
import { visibleLine } from '../visible.ts';

const ACTIONS = ['list', 'next', 'pass', 'fail', 'init'] as const;
const FEATURE = 'the id of a feature; `memgit features` shows them';
type Action = (typeof ACTIONS)[number];

const ACTION: Parameter<Action> = { syntax: '[action]', summary: 'What to do. Default: list', choices: ACTIONS, read: (typed) => (typed ?? 'list') as Action };

export const features = defineCommand({
  name: 'features',
  group: 'Sessions',
  summary: 'Show the checklist, make it, or say what passes',
  details:
    '`list` shows every feature, `next` the first that does not pass. `pass` needs --evidence: what was run and seen, end to end. `fail` needs --reason. ' +
    '`init` makes the checklist from the JSON list that --file names, whose items have an id, a description and steps; nothing passes yet. The first session does that; then the list is fixed.',
  args: { action: ACTION, id: optional('id', 'Feature, for pass and fail') },
  options: {
    session: text('--session <session>', 'Open session that the change belongs to. Default: MEMGIT_SESSION, or none'),
    evidence: text('--evidence <text>', 'What was run and seen'),
    reason: text('--reason <text>', 'Why it does not pass'),
    file: text('--file <file>', 'JSON list of features, for init; - is stdin'),
  },
  json: objectPerLine({
    id: string('Its id'),
    description: string('What it does'),
    steps: array('How to try it', string('A step')),
    passes: boolean('Whether it passes'),
    evidence: string('What was run and seen'),
    notes: string('Notes on it'),
  }),
  examples: [
    ['memgit features init --file features.json', 'make the checklist'],
    ['memgit features', 'how far the work is'],
    ['memgit features pass search --evidence "searched for a word and found it"', 'a feature passes'],
    ['memgit features fail login --reason "the button is gone"', 'a feature broke'],
  ],
  exits: CHANGING,
  run: async (context, { action, id, session, evidence = '', reason = '', file }) => {
    const reads = action === 'list' || action === 'next';
    const made = action === 'init' ? await readInput(context, needed(file, 'a list of features; name its file with --file, or - for stdin')) : undefined;
    return withVault(
      context,
      async (vault) => {
        // Whoever only reads is no session; one that is over may still be in the environment.
        const list = reads && session === undefined ? vault.features : await featuresOf(context, vault, session);
        if (made !== undefined) await list.init(made);
        if (action === 'pass') await list.pass(needed(id, FEATURE), { evidence });
        if (action === 'fail') await list.fail(needed(id, FEATURE), { reason });
        const shown = await chosen(list, action, id);
        if (shown.length === 0) context.sayNothing(action === 'next' ? 'no feature is left that does not pass, or there is no checklist' : 'there is no checklist, or nothing is on it');
        await print(context, shown);
        return OK;
      },
      { readOnly: reads },
    );
  },
});

async function featuresOf({ io }: Context, vault: Vault, named: string | undefined): Promise<Features> {
  const reference = named ?? given(io.env['MEMGIT_SESSION']);
  return reference === undefined ? vault.features : (await vault.sessions.resume(reference)).features;
}

async function chosen(list: Features, action: Action, id: string | undefined): Promise<readonly Feature[]> {
  const all = await list.list();
  if (action === 'list' || action === 'init') return all;
  const next = await list.next();
  return action === 'next' ? (next ? [next] : []) : all.filter((feature) => feature.id === id);
}

async function print(context: Context, shown: readonly Feature[]): Promise<void> {
  const { out } = context;
  for (const { id, description, steps, passes, evidence, notes } of shown) {
    if (context.json) await out.json({ id, description, steps, passes, evidence, notes });
    else await out.line(`${passes ? out.style.added('pass') : out.style.removed('fail')}  ${visibleLine(id)}: ${visibleLine(description)}`);
  }
}

function needed(typed: string | undefined, what: string): string {
  if (typed === undefined) throw new MemgitError('INVALID_ARGUMENT', `expected ${what}`);
  return typed;
}
