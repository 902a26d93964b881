/**
 * Random commands on a memory of memgit and on the SDK's own memory tool in a folder, side by side: the replies must be
 * the same up to differences.ts, and after every command the two must hold the same files and the same empty directories.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { betaMemoryTool, BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import fc from 'fast-check';
import { utf8Decode } from '../../src/bytes.ts';
import type { ToolResult } from '../../src/memory/execute.ts';
import { parsePath, ROOT } from '../../src/vault/path.ts';
import type { Snapshot } from '../../src/vault/snapshot.ts';
import { toolUse } from '../support/tool-use.ts';
import { divergences, refusals, wordings, type Asked, type MemoryCommand } from './differences.ts';
import type { MemoryTarget } from './memory-suite.ts';

export interface ComparedTarget extends MemoryTarget {
  snapshot(): Promise<Snapshot>;
}

export function differentialSuite(name: string, factory: () => Promise<ComparedTarget>): void {
  describe(`side by side with the SDK's memory tool: ${name}`, () => {
    test('random commands', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 40, size: 'max' }), async (commands) => {
          await sideBySide(factory, commands);
        }),
        { examples: [[DELETION_AT_THE_END]] },
      );
    });

    // A difference that no longer is one does not stay on the list.
    test.each([...refusals, ...divergences, ...wordings].map((one) => [one.reason, one] as const))(
      'is still so: %s',
      async (_, difference) => {
        expect(await sideBySide(factory, difference.example)).toContain(difference);
      },
    );
  });
}

/** Found by the long run: the snippet began a line too early. */
const DELETION_AT_THE_END: MemoryCommand[] = [
  { command: 'create', path: '/memories/d/x', file_text: '\n\n\n\u{1f600}' },
  { command: 'str_replace', path: '/memories/d/x', old_str: '\u{1f600}', new_str: '' },
];

/** Returns the differences that were met. */
async function sideBySide(factory: () => Promise<ComparedTarget>, commands: readonly MemoryCommand[]): Promise<Set<unknown>> {
  const met = new Set<unknown>();
  const base = await mkdtemp(join(tmpdir(), 'memgit-differential-'));
  const ours = await factory();
  try {
    const root = join(base, 'memories');
    await mkdir(root);
    const theirs = betaMemoryTool(new BetaLocalFilesystemMemoryTool(base));
    for (const command of commands) {
      const asked = await describeCommand(await ours.snapshot(), command);
      const divergence = divergences.find(({ differs }) => differs(asked));
      if (divergence !== undefined) {
        met.add(divergence);
        continue;
      }
      const answer = await ours.execute({ ...command });
      const refusal = refusals.find(({ refusedHere }) => refusedHere(asked));
      if (refusal !== undefined) {
        met.add(refusal);
        expect([command, answer]).toEqual([command, { content: expect.any(String) as string, is_error: true }]);
      } else {
        const { content, isError } = await runRunnableTool(theirs, command, toolUse('toolu_1'));
        const { before: after } = await describeCommand(await ours.snapshot(), command);
        let replies = { ours: textOf(answer.content), theirs: textOf(content) };
        for (const wording of wordings) {
          const level = wording.level(replies, { ...asked, after });
          if (level.ours !== replies.ours || level.theirs !== replies.theirs) met.add(wording);
          replies = level;
        }
        expect([command, replies.ours, answer.is_error]).toEqual([command, replies.theirs, isError]);
      }
      expect([command, await listSnapshot(await ours.snapshot())]).toEqual([command, await listFolder(root)]);
    }
  } finally {
    await ours.close();
    await rm(base, { recursive: true });
  }
  return met;
}

async function describeCommand(snapshot: Snapshot, command: MemoryCommand): Promise<Asked> {
  const node = await find(snapshot, command.path);
  return {
    command,
    before: node?.kind === 'file' ? utf8Decode(await snapshot.read(node.path)) : undefined,
    sourceExists: (await find(snapshot, command.old_path)) !== undefined,
  };
}

async function find(snapshot: Snapshot, text: string | undefined): ReturnType<Snapshot['stat']> {
  try {
    return await snapshot.stat(parsePath(text));
  } catch {
    return undefined;
  }
}

function textOf(content: ToolResult['content']): string {
  if (typeof content !== 'string') throw new TypeError('expected a reply that is text');
  return content;
}

type Listing = Record<string, string>;

async function listSnapshot(snapshot: Snapshot): Promise<Listing> {
  const listing: Listing = {};
  for await (const node of snapshot.walk(ROOT)) {
    if (node.path === ROOT) continue;
    listing[node.path] = node.kind === 'file' ? Buffer.from(await snapshot.read(node.path)).toString('latin1') : 'empty directory';
  }
  return listing;
}

async function listFolder(root: string): Promise<Listing> {
  const listing: Listing = {};
  for (const name of await readdir(root, { recursive: true })) {
    const path = join(root, name);
    if ((await stat(path)).isFile()) listing[relative(root, path)] = await readFile(path, 'latin1');
    else if ((await readdir(path)).length === 0) listing[relative(root, path)] = 'empty directory';
  }
  return listing;
}

// Few paths and few words, so that commands meet each other; now and then an odd one.
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...['/a.txt', '/b', '/d', '/d/x', '/d/e/z'].map((tail) => `/memories${tail}`)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['', '/b/under', '/d/y', '/d/.hidden/f', '/.h', '/node_modules/m', '/\u00e9'].map((tail) => `/memories${tail}`),
      ...['/elsewhere', '/memoriesX', '/memories/../up', '/memories/d/../b'],
    ),
  },
);
const word = fc.constantFrom('', 'one', 'two', 'one two one', '\u{1f600}', '\u2028 x', 'k'.repeat(1200));
const text = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join('\n') + (isEnded ? '\n' : ''));
const line = fc.integer({ min: -1, max: 6 });

const command: fc.Arbitrary<MemoryCommand> = fc.oneof(
  fc.record({ command: fc.constant('view'), path }),
  fc.record({ command: fc.constant('view'), path, view_range: fc.tuple(line, line) }),
  { weight: 3, arbitrary: fc.record({ command: fc.constant('create'), path, file_text: text }) },
  {
    weight: 4,
    arbitrary: fc.record({
      command: fc.constant('str_replace'),
      path,
      old_str: fc.constantFrom('one', 'two', 't', 'absent', '', '$&', 'one\ntwo', '\u{1f600}', '\u2028'),
      new_str: fc.constantFrom('X', '', 'one', 'p\nq', 'X\n', '$&', "$'"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ command: fc.constant('insert'), path, insert_line: line, insert_text: text }) },
  fc.record({ command: fc.constant('delete'), path }),
  fc.record({ command: fc.constant('rename'), old_path: path, new_path: path }),
);
