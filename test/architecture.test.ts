import { readFileSync, readdirSync } from 'node:fs';
import { findViolations } from './support/architecture.ts';

test('src keeps to its floors, rooms and sizes', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const sources = new Map(files.map((name) => [`src/${name}`, readFileSync(`src/${name}`, 'utf8')]));
  expect(sources.size).toBeGreaterThan(0);
  expect(findViolations(sources)).toEqual([]);
});

describe('the check sees', () => {
  const planted: [what: string, sources: Record<string, string>, fault: RegExp][] = [
    ['an upward import', { 'src/git/a.ts': "import { b } from '../vault/b.ts';", 'src/vault/b.ts': '' }, /git\/a\.ts imports upward: src\/vault\/b\.ts/],
    ['an upward import of a type', { 'src/git/a.ts': "import type { B } from '../vault/b.ts';", 'src/vault/b.ts': '' }, /imports upward/],
    ['an upward re-export', { 'src/git/a.ts': "export * from '../vault/b.ts';", 'src/vault/b.ts': '' }, /imports upward/],
    ['an upward lazy import', { 'src/git/a.ts': "void import('../vault/b.ts');", 'src/vault/b.ts': '' }, /imports upward/],
    ['an upward type query', { 'src/git/a.ts': "export type B = import('../vault/b.ts').B;", 'src/vault/b.ts': '' }, /imports upward/],
    ['an import of nothing', { 'src/git/a.ts': "import './gone.ts';" }, /does not exist/],
    [
      'a circle',
      { 'src/git/a.ts': "import './b.ts';", 'src/git/b.ts': "import './c.ts';", 'src/git/c.ts': "import './b.ts';" },
      /^circle: src\/git\/b\.ts -> src\/git\/c\.ts -> src\/git\/b\.ts$/,
    ],
    ['a package outside its room', { 'src/git/a.ts': "import { encode } from 'cborg';" }, /imports cborg, whose room is src\/vault\//],
    ['a part of a package outside its room', { 'src/sync/a.ts': "void import('isomorphic-git/http/node');" }, /imports isomorphic-git, whose room/],
    ['a package without a room', { 'src/git/a.ts': "import left from 'left-pad';" }, /left-pad, which has no room/],
    ['a computed import', { 'src/git/a.ts': 'void import(name);' }, /which has no room/],
    ['the optional peer imported eagerly', { 'src/memory/a.ts': "import Anthropic from '@anthropic-ai/sdk';" }, /eagerly, but it is optional/],
    ['the environment', { 'src/git/a.ts': "export const home = process.env['HOME'];" }, /uses process\.env/],
    ['the arguments', { 'src/store.ts': 'export const count = process.argv.length;' }, /uses process\.argv/],
    ['the terminal', { 'src/store.ts': "process.stdout.write('x');" }, /uses process\.stdout/],
    ['the console', { 'src/store.ts': "console.log('x');" }, /uses console/],
    ['a way around the globals', { 'src/store.ts': "import { env } from 'node:process';" }, /imports node:process/],
    ['a file on no floor', { 'src/utils/a.ts': '' }, /is on no floor/],
    ['a long file', { 'src/bytes.ts': 'export {};\n'.repeat(301) }, /has 301 lines/],
  ];

  test.each(planted)('%s', (_, sources, fault) => {
    expect(findViolations(new Map(Object.entries(sources)))).toEqual([expect.stringMatching(fault)]);
  });

  test('nothing wrong in what is allowed', () => {
    const sources = {
      'src/errors.ts': "// import 'left-pad'; process.env\nexport const text = \"import 'left-pad'\";\n",
      'src/memory/tool.ts': "import type { A } from '@anthropic-ai/sdk';\nvoid import('@anthropic-ai/sdk');\nimport '../errors.ts';",
      'src/cli/main.ts': "import '../memory/tool.ts';\nimport { join } from 'node:path';\nconsole.log(process.argv, process.env);",
      'src/bytes.ts': 'export {};\n'.repeat(300),
      'src/store.ts': 'process.kill(process.pid, 0);',
    };
    expect(findViolations(new Map(Object.entries(sources)))).toEqual([]);
  });
});
