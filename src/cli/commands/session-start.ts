/** `memgit session start`: begins a session and prints its id. */
import { defineCommand } from '../command.ts';
import { CHANGING, OK } from '../exits.ts';
import { withVault } from '../open.ts';
import { count, flag, text } from '../parameters.ts';
import { SESSION_FIELDS } from '../session-of.ts';
import { oneObject } from '../shape.ts';

const MINUTE_MS = 60_000;

export const sessionStart = defineCommand({
  name: 'session start',
  group: 'Sessions',
  summary: 'Start a session and print its id',
  details:
    'Put the id into MEMGIT_SESSION for the commands that follow. A session that ends without `memgit session end` is noticed by a later start: when the process that --pid names is gone, or ' +
    'when it wrote nothing for longer than its lease. Nothing is ever blocked by a session.',
  args: {},
  options: {
    agent: text('--agent <name>', 'Who works'),
    model: text('--model <model>', 'Model that works'),
    goal: text('--goal <text>', 'What the session is for'),
    id: text('--id <id>', 'Id of your own, such as that of a run. Default: one is made'),
    pid: count('--pid <pid>', 'Process of this host whose end is the end of the session. Default: none', 1),
    create: flag('--create', 'Make the user\'s memory if there is none yet'),
    lease: count('--lease <minutes>', 'How long the session may be silent before it counts as dead. Default: 60', 1),
  },
  json: oneObject({ number: SESSION_FIELDS.number, id: SESSION_FIELDS.id, isFirst: SESSION_FIELDS.isFirst }),
  examples: [
    ['export MEMGIT_SESSION=$(memgit session start --agent coder --goal "finish the search")', 'start a session in a shell'],
    ['memgit session start --pid $$ --json', 'one that dies with this shell'],
    ['memgit session start --user alice --create', 'the first one of a user who has no memory yet'],
  ],
  exits: CHANGING,
  run: async (context, { pid, lease, create, ...facts }) =>
    withVault(
      context,
      async (vault) => {
        const { number, id, isFirst } = await vault.sessions.start({ ...facts, process: pid ?? false, leaseMs: lease === undefined ? undefined : lease * MINUTE_MS });
        if (context.json) await context.out.json({ number, id, isFirst });
        else {
          context.say(`session ${number} has started`);
          await context.out.line(id);
        }
        return OK;
      },
      { readOnly: false, create },
    ),
});
