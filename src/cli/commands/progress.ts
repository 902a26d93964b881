/** `memgit progress`: adds to the log of a session, or prints it. */
import { MemgitError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { CHANGING, OK } from '../exits.ts';
import { withVault } from '../open.ts';
import { texts } from '../parameters.ts';
import { detailsOf, referenceOf, SESSION_FIELDS, SESSION_OPTION, sessionOf } from '../session-of.ts';
import { oneObject, string } from '../shape.ts';

export const progress = defineCommand({
  name: 'progress',
  group: 'Sessions',
  summary: 'Add to the log of a session, or print it',
  details: 'With --did it adds an entry; without, it prints the log.',
  args: {},
  options: {
    session: SESSION_OPTION,
    did: texts('--did <text>', 'What was done; may be given several times'),
    issues: texts('--issues <text>', 'What is wrong'),
    next: texts('--next <text>', 'What comes next'),
  },
  json: oneObject({ number: SESSION_FIELDS.number, id: SESSION_FIELDS.id }, { log: string('Text of the log, when nothing was added') }),
  examples: [
    ['memgit progress --did "wrote the parser" --next "its tests"', 'add an entry'],
    ['memgit progress', 'read the log of the open session'],
  ],
  exits: CHANGING,
  run: async (context, { session: named, did, issues, next }) => {
    const adds = did.length > 0;
    if (!adds && issues.length + next.length > 0) throw new MemgitError('INVALID_ARGUMENT', 'expected what was done; give --did');
    return withVault(
      context,
      async (vault) => {
        if (adds) {
          const session = await sessionOf(context, vault, named);
          await session.progress.append({ did, issues, next });
          if (context.json) await context.out.json({ number: session.number, id: session.id });
          else context.say(`added to the log of session ${session.number}`);
          return OK;
        }
        const { number, id, log } = await detailsOf(vault, await referenceOf(context, vault, named));
        if (context.json) await context.out.json({ number, id, log });
        else await context.out.write(context.out.memoryText(log ?? ''));
        return OK;
      },
      { readOnly: !adds },
    );
  },
});
