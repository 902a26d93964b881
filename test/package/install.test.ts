/**
 * The package as its users get it: packed, unpacked into an empty project, and used there through every door it offers.
 * Its dependencies are linked from this project instead of being fetched, so that the test needs no network. Needs dist/.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import * as source from '../../src/index.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<'dependencies' | 'peerDependencies', Record<string, string>>;
const dependencies = Object.keys(manifest.dependencies);
const names = Object.keys(source).sort();

let folder: string;
let tarball: string;
let packed: string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'memgit-package-'));
  const { stdout } = run('.', 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  // One report in an array, or under the package's name: npm has printed both.
  const [report] = Object.values(JSON.parse(stdout) as Record<string, { filename: string; files: { path: string }[] }>);
  tarball = join(folder, report!.filename);
  packed = report!.files.map(({ path }) => path);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(cwd: string, command: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: folder } });
  return { status, stdout, stderr };
}

/** Makes a project that has memgit, links to the given packages, and the given files; returns its folder. */
function makeProject(packages: readonly string[], files: Readonly<Record<string, string>>): string {
  const project = mkdtempSync(join(folder, 'project-'));
  // Unpacked here and not linked: through a link it would find the dependencies of the folder that the link leads to.
  const memgit = join(project, 'node_modules/memgit');
  mkdirSync(memgit, { recursive: true });
  run(memgit, 'tar', '-xzf', tarball, '--strip-components=1');
  for (const name of packages) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link);
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  return project;
}

test('only the build and the papers are packed', () => {
  const expected = /^(dist\/(index\.mjs|(index|cli)\.cjs|index\.d\.[mc]ts|chunks\/([\w-]+\.[mc]js|libsodium\.wasm)|third-party-licenses\.txt)|package\.json|README\.md|LICENSE)$/;
  expect(packed.filter((file) => !expected.test(file))).toEqual([]);
  expect(packed).toEqual(expect.arrayContaining(['dist/index.mjs', 'dist/index.cjs', 'dist/cli.cjs', 'LICENSE']));
});

describe('without the optional SDK', () => {
  const doors: [what: string, file: string, text: string][] = [
    ['ES module import', 'main.mjs', "import * as memgit from 'memgit';\nprint(memgit);"],
    ['CommonJS require', 'main.cjs', "print(require('memgit'));"],
    ['CommonJS with a lazy import', 'main.cjs', "void import('memgit').then(print);"],
  ];

  test.each(doors)('%s', (_, file, text) => {
    const print = "\nfunction print(memgit) { console.log(JSON.stringify(Object.keys(memgit).filter((name) => name !== 'default').sort())); }";
    const project = makeProject(dependencies, { [file]: text + print });
    expect(run(project, process.execPath, file)).toEqual({ status: 0, stdout: `${JSON.stringify(names)}\n`, stderr: '' });
  });

  test('each build knows the errors of the other', () => {
    const text = `
      import { createRequire } from 'node:module';
      import * as es from 'memgit';
      const cjs = createRequire(import.meta.url)('memgit');
      console.log(es.MemgitError !== cjs.MemgitError, es.isMemgitError(new cjs.MemgitError('LOCKED')), cjs.isMemgitError(new es.MemgitError('LOCKED')));
    `;
    const project = makeProject(dependencies, { 'main.mjs': text });
    expect(run(project, process.execPath, 'main.mjs')).toEqual({ status: 0, stdout: 'true true true\n', stderr: '' });
  });
});

test('the command starts with nothing installed beside it', () => {
  const project = makeProject([], {});
  const help = run(project, process.execPath, 'node_modules/memgit/dist/cli.cjs', '--help');
  expect(help).toEqual({ status: 0, stdout: expect.stringMatching(/^usage: memgit/i), stderr: '' });
});

describe('TypeScript finds the types', () => {
  const consumer = `
    import { MemgitError, isMemgitError, type ErrorCode } from 'memgit';
    const code: ErrorCode = 'LOCKED';
    const caught: unknown = new MemgitError(code);
    if (isMemgitError(caught)) caught.code satisfies ErrorCode;
    // @ts-expect-error: were the types lost, everything would be allowed
    const wrong: ErrorCode = 'NO_SUCH_CODE';
  `;
  const settings: [resolution: string, module: string, files: string[]][] = [
    ['node16', 'node16', ['main.mts', 'main.cts']],
    ['nodenext', 'nodenext', ['main.mts', 'main.cts']],
    ['bundler', 'esnext', ['main.ts']],
  ];

  test.each(settings)('moduleResolution %s', (moduleResolution, module, files) => {
    const compilerOptions = { strict: true, noEmit: true, target: 'es2022', types: ['node'], skipLibCheck: false, moduleResolution, module };
    const packages = [...dependencies, ...Object.keys(manifest.peerDependencies), '@types/node'];
    const project = makeProject(packages, {
      'tsconfig.json': JSON.stringify({ compilerOptions, files }),
      ...Object.fromEntries(files.map((file) => [file, consumer])),
    });
    const tsc = resolve('node_modules/typescript/bin/tsc');
    expect(run(project, process.execPath, tsc)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
