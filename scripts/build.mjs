/**
 * Builds dist/: the library as ES module and as CommonJS, one text of declarations for both, and the command.
 * The library leaves its dependencies outside, so that programs share one copy; what is imported lazily stays lazy.
 * The command carries its dependencies: read from a few files instead of dozens, it starts in two thirds of the time. What has not
 * run yet is compiled at the start, so blanks and comments are left out; names stay, for the stack of an unexpected error.
 */
import { chmod, copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build, transform } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { libsodiumApart } from './libsodium-apart.mjs';

/** Published as ES modules only. Not every Node that we support can `require` them, so the CommonJS build carries them. */
const esModulesOnly = ['cborg'];

process.chdir(`${import.meta.dirname}/..`);
/** @type {Record<'dependencies' | 'peerDependencies', Record<string, string>>} */
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const dependencies = Object.keys(manifest.dependencies);
const peers = Object.keys(manifest.peerDependencies);

await rm('dist', { recursive: true, force: true });
const [library, commonJs, command] = await Promise.all([buildEsModule(), buildCommonJs(), buildCommand()]);
await buildTypes(new Set(library.outputs['dist/index.mjs']?.exports));
await writeNotices(new Set([...packagesIn(commonJs), ...packagesIn(command)]));

function buildEsModule() {
  return bundle({
    entryPoints: { index: 'src/index.ts' },
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    external: [...dependencies, ...peers],
  });
}

function buildCommonJs() {
  return bundle({
    entryPoints: { index: 'src/index.ts' },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    external: [...dependencies.filter((name) => !esModulesOnly.includes(name)), ...peers],
    // A lazy import becomes a lazy `require`, so that a CommonJS caller and memgit get the same copy of the SDK and its classes.
    supported: { 'dynamic-import': false },
  });
}

/**
 * The program in chunks/, and the file that starts it. esbuild cuts a program into several files only as ES modules, but node loads
 * CommonJS sooner: the files are made that afterwards.
 */
async function buildCommand() {
  /** @type {Pick<import('esbuild').CommonOptions, 'platform' | 'target' | 'minifyWhitespace' | 'minifySyntax'>} */
  const shared = { platform: 'node', target: 'node20.19', minifyWhitespace: true, minifySyntax: true };
  const { metafile, outputFiles } = await build({
    ...shared,
    entryPoints: { 'cli-main': 'src/cli/main.ts' },
    bundle: true,
    format: 'esm',
    splitting: true,
    chunkNames: 'cli-[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    external: peers,
    outdir: 'dist/chunks',
    plugins: [libsodiumApart('dist/chunks')],
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, { ...shared, format: 'cjs', supported: { 'dynamic-import': false } });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
  }
  await build({
    ...shared,
    entryPoints: { cli: 'src/cli/start.ts' },
    bundle: true,
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    outExtension: { '.js': '.cjs' },
    outdir: 'dist',
    logLevel: 'warning',
  });
  await chmod('dist/cli.cjs', 0o755);
  return metafile;
}

/**
 * What is marked `@internal`, such as the constructors of classes that only memgit makes, is left out. Rollup takes every class for a
 * value; those that the library exports as types are declared as types again, so that nobody can import what is not there.
 * @param {Set<string>} values the names that the built library exports
 */
async function buildTypes(values) {
  const declarations = await rollup({ input: 'src/index.ts', plugins: [dts({ compilerOptions: { stripInternal: true } })] });
  const [{ code }] = (await declarations.generate({})).output;
  const typed = code.replace(/^export \{ (.*) \};$/m, (_, /** @type {string} */ names) => {
    const list = names.split(', ');
    const types = list.filter((name) => !values.has(name));
    return `export { ${list.filter((name) => values.has(name)).join(', ')} };\nexport type { ${types.join(', ')} };`;
  });
  await writeFile('dist/index.d.mts', typed);
  // The text is the same; the extension tells TypeScript which module system it describes.
  await copyFile('dist/index.d.mts', 'dist/index.d.cts');
}

/**
 * Returns what went into the bundle and what it exports.
 * @param {import('esbuild').BuildOptions} options
 */
async function bundle(options) {
  const { metafile } = await build({
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    outdir: 'dist',
    logLevel: 'warning',
    ...options,
    metafile: true,
  });
  return metafile;
}

/** The folders of the packages whose code went into a bundle. @param {import('esbuild').Metafile} metafile */
function packagesIn(metafile) {
  return Object.keys(metafile.inputs).flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
}

/** Their licenses ask that the notice travels with the code. @param {Set<string>} folders */
async function writeNotices(folders) {
  const notices = await Promise.all(
    [...folders].sort().map(async (folder) => `${folder.replace(/^.*node_modules\//, '')}\n\n${await readNotice(folder)}`),
  );
  await writeFile('dist/third-party-licenses.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));
}

/**
 * A package that comes without a license file says in its manifest whose it is, and under which license.
 * @param {string} folder
 */
async function readNotice(folder) {
  const file = (await readdir(folder)).find((name) => /^(licen[cs]e|copying)/i.test(name));
  if (file !== undefined) return readFile(`${folder}/${file}`, 'utf8');
  /** @type {{ license?: string; author?: string | { name: string } }} */
  const { license, author } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  if (license === undefined || author === undefined) throw new Error(`expected a license file or a license and an author in ${folder}, found neither`);
  return `${license}, by ${typeof author === 'string' ? author : author.name}\n`;
}
