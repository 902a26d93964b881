import { spawnSync } from 'node:child_process';
import { runCli } from '../../support/fake-io.ts';

async function scriptFor(shell: string): Promise<string> {
  const { exit, stdout } = await runCli(['completion', shell]);
  expect(exit).toBe(0);
  return stdout;
}

function runIn(shell: string, script: string): string {
  const { status, stdout, stderr } = spawnSync(shell, ['-c', script], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

const CASES: [typed: string[], offered: string[], notOffered: string[]][] = [
  [['memgit', 'us'], ['users'], ['init']],
  [['memgit', ''], ['init', 'users', 'key', 'completion', 'help'], ['check']],
  [['memgit', 'key', ''], ['check'], ['users']],
  [['memgit', 'key', 'check', '--js'], ['--json'], ['--store']],
  [['memgit', 'completion', ''], ['bash', 'zsh', 'fish'], ['users']],
  [['memgit', 'help', 'in'], ['init'], ['users']],
  [['memgit', '--store', 'somewhere', 'us'], ['users'], ['init']],
  [['memgit', 'users', '--st'], ['--store'], ['--json']],
];

test.each(CASES)('bash offers for %j', async (typed, offered, notOffered) => { // skipped where fish is not installed
  const words = typed.map((word) => `'${word}'`).join(' ');
  const script = `${await scriptFor('bash')}\nCOMP_WORDS=(${words}); COMP_CWORD=${typed.length - 1}; _memgit; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const found = runIn('bash', script).split('\n');
  for (const word of offered) expect(found).toContain(word);
  for (const word of notOffered) expect(found).not.toContain(word);
});

(isInstalled('fish') ? test.each(CASES) : test.skip.each(CASES))('fish offers for %j', async (typed, offered, notOffered) => { // skipped where fish is not installed
  const found = runIn('fish', `${await scriptFor('fish')}\ncomplete -C '${typed.join(' ')}'`).split('\n').map((line) => line.split('\t')[0]);
  for (const word of offered) expect(found).toContain(word);
  for (const word of notOffered) expect(found).not.toContain(word);
});

(isInstalled('zsh') ? test : test.skip)('zsh accepts its script', async () => { // skipped where zsh is not installed
  runIn('zsh', `autoload -U compinit; compinit -D\n${await scriptFor('zsh')}\n[[ $_comps[memgit] = _memgit ]]`);
});
