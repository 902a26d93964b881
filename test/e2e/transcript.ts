/**
 * Reads and runs a transcript: a readable file of commands, what they print and how they end, with the files that they need
 * inlined below.
 *
 *     # a comment
 *     $ memgit users               a command that must end with 0; the lines below it are its stdout,
 *     alice                        the ones that begin with `2> ` its stderr
 *     !12 memgit users             a command that must end with 12
 *     2> error: [..]
 *     -- notes/a.txt --            a file, up to the next such line; the one named `env` has NAME=value lines, the environment
 *
 * In expected lines [OID], [ID], [TIME] and [KEY] stand for what differs from run to run and [..] for the rest of anything;
 * a line of three dots stands for any number of lines. Blank lines between commands mean nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Step {
  readonly command: string;
  readonly line: number;
  readonly exit: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

interface Transcript {
  readonly steps: readonly Step[];
  readonly files: ReadonlyMap<string, string>;
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '[OID]': '[0-9a-f]{10,40}',
  '[ID]': '[0-9a-f]{16,64}',
  '[TIME]': '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d \\+0000',
  '[KEY]': 'memgit-key-[a-z2-7]{56}',
  '[..]': '.*',
};

export function parseTranscript(text: string): Transcript {
  const [script = '', ...inlined] = text.split(/^-- (?=\S+ --$)/m);
  const files = inlined.map((block): [string, string] => {
    const end = block.indexOf('\n');
    return [block.slice(0, end).replace(/ --$/, ''), block.slice(end + 1)];
  });
  const steps: { command: string; line: number; exit: number; stdout: string[]; stderr: string[] }[] = [];
  for (const [index, line] of script.split('\n').entries()) {
    const start = /^(?:\$|!(\d+)) (.*)$/.exec(line);
    const step = steps.at(-1);
    if (start) steps.push({ command: start[2]!, line: index + 1, exit: Number(start[1] ?? 0), stdout: [], stderr: [] });
    else if (line.startsWith('2> ')) step?.stderr.push(line.slice(3));
    else if (!line.startsWith('# ')) step?.stdout.push(line);
  }
  return { files: new Map(files), steps: steps.map((step) => ({ ...step, stdout: withoutBlankEnd(step.stdout) })) };
}

/** Runs every step in `folder` with stdin closed. Returns one text for each that did not go as written. */
export function runTranscript({ steps, files }: Transcript, folder: string, env: NodeJS.ProcessEnv): string[] {
  const variables = [...(files.get('env') ?? '').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]);
  const environment = { ...env, ...(Object.fromEntries(variables) as NodeJS.ProcessEnv) };
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return steps.flatMap(({ command, line, exit, stdout, stderr }) => {
    const ran = spawnSync('sh', ['-c', command], { cwd: folder, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    const went = [ran.status === exit, matches(ran.stdout, stdout), matches(ran.stderr, stderr)].every(Boolean);
    if (went) return [];
    const expected = [...stdout, ...stderr.map((text) => `2> ${text}`), `exit ${exit}`];
    const got = [...linesOf(ran.stdout), ...linesOf(ran.stderr).map((text) => `2> ${text}`), `exit ${ran.status ?? 'by a signal'}`];
    return [`line ${line}: ${command}\n--- expected\n${expected.join('\n')}\n--- got\n${got.join('\n')}\n`];
  });
}

function matches(printed: string, expected: readonly string[]): boolean {
  const pattern = expected.map((line) => (line === '...' ? '(?:.*\n)*' : `${linePattern(line)}\n`)).join('');
  return new RegExp(`^${pattern}$`).test(withFinalNewline(withoutBlankEnd(linesOf(printed)).join('\n')));
}

function linePattern(line: string): string {
  return line
    .split(/(\[[A-Z]+\]|\[\.\.\])/)
    .map((part) => PLACEHOLDERS[part] ?? part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function withFinalNewline(text: string): string {
  return text === '' ? '' : `${text}\n`;
}

function withoutBlankEnd(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}
