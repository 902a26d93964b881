/**
 * The SDK's runner knows its ToolError by class, and its two builds hold different classes. Here both builds of memgit
 * meet both builds of the SDK in processes of their own: only the right class puts the exact sentence on the wire.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);
const EXACT = 'The path /memories/none does not exist. Please provide a valid path.';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memgit-tool-error-'));
  await Promise.all([bundle('esm', 'tool.mjs'), bundle('cjs', 'tool.cjs'), mkdir(join(folder, 'node_modules'))]);
  await symlink(resolve('node_modules/@anthropic-ai'), join(folder, 'node_modules/@anthropic-ai'));
  await symlink(resolve('node_modules/@opentelemetry'), join(folder, 'node_modules/@opentelemetry'));
});
afterAll(() => rm(folder, { recursive: true }));

/** As scripts/build.mjs does it. */
function bundle(format: 'esm' | 'cjs', name: string): Promise<unknown> {
  return build({
    entryPoints: ['src/memory/tool.ts'],
    outfile: join(folder, name),
    bundle: true,
    platform: 'node',
    format,
    external: ['@anthropic-ai/sdk'],
    ...(format === 'cjs' && { supported: { 'dynamic-import': false } }),
  });
}

/** Views a missing file through the runner of one build of the SDK, and returns what Claude would read. */
async function readsMissingFile(memgit: 'esm' | 'cjs', sdk: 'esm' | 'cjs', options: string): Promise<unknown> {
  const load = (build: 'esm' | 'cjs', name: string) => (build === 'esm' ? `await import('${name}')` : `require('${name}')`);
  const script = `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const { memoryTool } = ${load(memgit, memgit === 'esm' ? './tool.mjs' : './tool.cjs')};
    const { Anthropic } = ${load(sdk, '@anthropic-ai/sdk')};
    const { runRunnableTool } = ${load(sdk, '@anthropic-ai/sdk/lib/tools/BetaRunnableTool')};
    const client = new Anthropic({ apiKey: 'none' });
    const snapshot = { stat: async () => undefined };
    const memory = { view: (build) => build(snapshot) };
    const tool = memoryTool(memory, ${options});
    const { content } = await runRunnableTool(tool, { command: 'view', path: '/memories/none' }, { toolUse: { id: 'toolu_1' } });
    process.stdout.write(JSON.stringify(content));`;
  return JSON.parse(await runScript(folder, script));
}

async function runScript(cwd: string, script: string): Promise<string> {
  const file = join(cwd, `script-${Math.random()}.mjs`);
  await writeFile(file, script);
  return (await run(process.execPath, [file], { cwd })).stdout;
}

test.each([
  ['esm', 'esm'],
  ['esm', 'cjs'],
  ['cjs', 'esm'],
  ['cjs', 'cjs'],
] as const)('memgit as %s takes the class from a client of the SDK as %s', async (memgit, sdk) => {
  expect(await readsMissingFile(memgit, sdk, '{ client }')).toBe(EXACT);
});

test.each(['esm', 'cjs'] as const)('without a client, memgit as %s takes the class of the same build', async (build) => {
  expect(await readsMissingFile(build, build, '{}')).toBe(EXACT);
});

test('the builds do differ: the other class gets the prefix of a plain Error', async () => {
  expect(await readsMissingFile('esm', 'cjs', '{}')).toBe(`Error: ${EXACT}`);
});

test.each(['tool.mjs', 'tool.cjs'])('without the SDK, %s throws a plain Error, less the prefix that runners add', async (name) => {
  const alone = await mkdtemp(join(tmpdir(), 'memgit-without-sdk-'));
  try {
    await copyFile(join(folder, name), join(alone, name));
    const script = `
      const { memoryTool } = await import('./${name}');
      const tool = memoryTool({ mutate: (build) => build({ stat: async () => undefined }) });
      await tool.run({ command: 'delete', path: '/memories/none' }).catch((error) => console.log(error.name + '|' + error.message));`;
    expect(await runScript(alone, script)).toBe('Error|The path /memories/none does not exist\n');
  } finally {
    await rm(alone, { recursive: true });
  }
});
