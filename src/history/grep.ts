/** Searches the text of a memory as it stands or stood, file by file. Files that are not text are passed over. */
import { utf8Decode } from '../bytes.ts';
import { giveWay } from '../git/turns.ts';
import type { MemoryPath } from '../vault/path.ts';
import { displayPath, ROOT } from '../vault/path.ts';
import type { VaultRepository } from '../vault/vault-repository.ts';
import { Matcher } from './matcher.ts';
import { pathMissing } from './missing.ts';
import { resolveRevision } from './revision.ts';

const CHUNK_LINES = 100_000;

export interface GrepOptions {
  /** Default `HEAD`. */
  readonly revision?: string | undefined;
  /** Only files at or below this path. */
  readonly path?: MemoryPath | undefined;
  /** Told of each file, or part of a long one, in which the pattern takes too long; the others are searched before that is an error. */
  readonly onPassedOver?: ((path: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GrepMatch {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** The whole line, without its LF. */
  readonly text: string;
}

/** A text is looked for literally. @throws BAD_REVISION, NOT_FOUND, INVALID_ARGUMENT for a pattern that is empty, and in the end for one that takes too long; ABORTED */
export async function* grep(vault: VaultRepository, pattern: string | RegExp, options: GrepOptions = {}): AsyncGenerator<GrepMatch> {
  const matcher = new Matcher(pattern);
  const oid = await resolveRevision(vault, options.revision ?? 'HEAD');
  const snapshot = await vault.snapshot(oid);
  const path = options.path ?? ROOT;
  if (!(await snapshot.stat(path))) throw await pathMissing(vault, oid, path);
  for await (const node of snapshot.walk(path)) {
    if (node.kind !== 'file') continue;
    await giveWay(options.signal);
    const text = utf8Decode(await snapshot.read(node.path));
    for (const { first, lines } of text === undefined ? [] : chunksOf(text)) {
      await giveWay(options.signal);
      const found = matcher.matchingLines(lines);
      if (!found) options.onPassedOver?.(displayPath(node.path));
      for (const i of found ?? []) yield { path: displayPath(node.path), line: first + i, text: lines[i]! };
    }
  }
  matcher.finish();
}

/** The lines of a text, some at a time: one of a million lines hides no other, and takes no more memory. */
function* chunksOf(text: string): Generator<{ first: number; lines: string[] }> {
  for (let at = 0, first = 1; at < text.length; ) {
    const lines: string[] = [];
    while (at < text.length && lines.length < CHUNK_LINES) {
      const end = text.indexOf('\n', at);
      lines.push(text.slice(at, end < 0 ? text.length : end));
      at = end < 0 ? text.length : end + 1;
    }
    yield { first, lines };
    first += lines.length;
  }
}
