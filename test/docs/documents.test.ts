/** The documents: links lead somewhere, lists are complete, and what they show is what happens. Needs dist/. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERRORS } from '../../src/index.ts';

const documents = ['README.md', 'ARCHITECTURE.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md', 'examples/docker/README.md']
  .concat(readdirSync('docs').filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`));
const textOf = (path: string) => readFileSync(path, 'utf8');

test.each(documents)('every link of %s leads somewhere', (document) => {
  const links = [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  const local = links.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.replace(/#.*$/, ''));
  expect(local.filter((target) => !existsSync(join(dirname(document), target)))).toEqual([]);
});

test('docs/FILES.md is what the header comments say', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/list-files.mjs', '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('every guarantee of SECURITY.md names the test that shows it', () => {
  const table = /## Guarantees\n([^]*?)\n## /.exec(textOf('SECURITY.md'))![1]!;
  const rows = table.trim().split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter((row) => !/\|[^|]*\]\(test\/[^)]*\.test\.ts\)[^|]*\|$/.test(row))).toEqual([]);
});

test('ARCHITECTURE.md and SECURITY.md know every package and every floor', () => {
  const { dependencies, peerDependencies } = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;
  const packages = Object.keys({ ...dependencies, ...peerDependencies });
  for (const document of ['ARCHITECTURE.md', 'SECURITY.md']) expect(packages.filter((name) => !textOf(document).includes(name))).toEqual([]);
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.filter(({ name }) => !textOf('ARCHITECTURE.md').includes(`\`src/${name}/\``))).toEqual([]);
});

test('the table of errors in the README is the one in the code', () => {
  const rows = Object.entries(ERRORS).map(([code, { exit, summary }]) => `| \`${code}\` | ${exit} | ${summary} |`);
  expect(textOf('README.md')).toContain(`| code | exit | when |\n|---|---|---|\n${rows.join('\n')}\n`);
});
