/** What the commands about sessions print with --json is what their help says, and all of it. */
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { runCli } from '../support/fake-io.ts';
import { describedFields, faultsOf, shownFields } from '../support/shape-check.ts';
import { FEATURES, temporaryStore, type TemporaryStore } from './support.ts';

const reporting = COMMANDS.filter(({ group, json }) => group === 'Sessions' && json !== undefined);
const NOTHING = new Set<string>();

let store: TemporaryStore;

beforeAll(async () => {
  store = await temporaryStore();
});

afterAll(async () => store.remove());

/** Each line, in order: the command, a colon, and what is typed after it. */
const LINES = [
  'session start: --create --id one --agent coder --model a-model --goal work',
  'session list:',
  'progress: --did x',
  'progress:',
  'features: pass a --evidence seen',
  'features: fail a --reason broken --session one',
  'features: next',
  'brief: --session one',
  'session end: --handoff done',
  'session start: --id two --agent other --goal help',
  'session start: --id three --agent coder --model a-model --goal more',
  'progress: --did y --session two',
  'brief: --session three',
  'session abandon: --session two --reason lost',
  'brief: --session three',
  'session list:',
  'session show: 1',
  'session show: 2',
  'session diff: 1',
  'session revert: 1',
];

test('in the order of a life', async () => {
  const vault = await store.open();
  await vault.write('/memories/old.md', 'old\n');
  const env = { MEMGIT_STORE: store.dir, MEMGIT_KEY: store.key, MEMGIT_USER: 'someone' };
  const shown = new Map<string, Set<string>>(reporting.map(({ name }) => [name, new Set()]));
  for (const line of LINES) {
    const [name = '', typed = ''] = line.split(':');
    if (line === LINES[1]) {
      const list = ['a', 'b'].map((id) => ({ id, description: `Feature ${id}`, steps: ['try it'], passes: false }));
      await vault.execute({ command: 'create', path: FEATURES, file_text: JSON.stringify(list) }, { session: 'one' });
      await vault.execute({ command: 'create', path: '/memories/a.md', file_text: 'one\ntwo\n' }, { session: 'one', toolUseId: 'toolu_1' });
      await vault.execute({ command: 'str_replace', path: '/memories/old.md', old_str: 'old', new_str: 'new' }, { session: 'one' });
    }
    if (name === 'session revert') await vault.write('/memories/old.md', 'newer\n');
    const { exit, stdout } = await runCli([...name.split(' '), ...typed.split(' ').filter(Boolean), '--json'], { env });
    expect([line, exit]).toEqual([line, name === 'session revert' ? 13 : 0]);
    const { shape, lines } = reporting.find((command) => command.name === name)!.json!;
    const values = stdout.trimEnd().split('\n').map((text): unknown => JSON.parse(text));
    if (!lines) expect(values).toHaveLength(1);
    expect([line, values.flatMap((value) => faultsOf(value, shape))]).toEqual([line, []]);
    for (const field of shownFields(values)) shown.get(name)!.add(field.replace(/^\[\]\.?/, ''));
  }
  for (const { name, json } of reporting) {
    const never = [...new Set(describedFields(json!.shape))].filter((field) => !(shown.get(name) ?? NOTHING).has(field));
    expect([name, never.filter((field) => !hardToShow(name, field))]).toEqual([name, []]);
  }
});

/** What another test shows: a checklist that is broken, an undo that works, a rename. */
function hardToShow(name: string, field: string): boolean {
  if (name === 'session revert') return !field.startsWith('conflicts') && field !== 'changed';
  return /fault$|targets|regressions|note$|(^|\.)from$/.test(field);
}
