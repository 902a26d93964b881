/**
 * The view command: what a directory or a file looks like to Claude. Reads a snapshot and changes nothing.
 */
import type { BetaToolResultContentBlockParam } from '@anthropic-ai/sdk/resources/beta/messages';

import { toBase64, utf8Decode, type Bytes } from '../bytes.ts';
import { baseName, displayPath, type MemoryPath } from '../vault/path.ts';
import type { DirectoryInfo, NodeInfo, Snapshot } from '../vault/snapshot.ts';
import { parseWholeNumber } from './arguments.ts';
import { fitsApi, readImage, type ImageInfo } from './image.ts';
import { refusals, replies, viewNotes } from './messages.ts';
import { countLines, fitView, formatSize, linesWithin, numberLines } from './text.ts';

/** What a tool result holds: text, or blocks. */
export type Reply = string | BetaToolResultContentBlockParam[];

const LEVELS_SHOWN = 2;
const LINES_MAX = 999_999;

/** @param range the `view_range` as it came, `undefined` when there is none; a directory or an image has no lines and ignores it */
export async function view(snapshot: Snapshot, path: MemoryPath, range: unknown): Promise<Reply> {
  const node = await snapshot.stat(path);
  if (node === undefined) throw refusals.nothingToView(path);
  return node.kind === 'directory' ? viewDirectory(snapshot, node) : viewFile(path, await snapshot.read(path), range);
}

async function viewDirectory(snapshot: Snapshot, directory: DirectoryInfo): Promise<string> {
  const own = `${formatSize(directory.sizeBytes)}\t${displayPath(directory.path)}`;
  return replies.directory(directory.path, [own, ...(await listBelow(snapshot, directory.path, LEVELS_SHOWN))]);
}

/** Depth first, each level in the order that the snapshot gives. */
async function listBelow(snapshot: Snapshot, path: MemoryPath, levels: number): Promise<string[]> {
  if (levels === 0) return [];
  const lines: string[] = [];
  for (const node of await snapshot.children(path)) {
    if (isLeftOut(node)) continue;
    const size = formatSize(node.sizeBytes);
    if (node.kind === 'file') {
      lines.push(`${size}\t${displayPath(node.path)}`);
    } else {
      lines.push(`${size}\t${displayPath(node.path)}/`);
      for (const line of await listBelow(snapshot, node.path, levels - 1)) lines.push(line);
    }
  }
  return lines;
}

function isLeftOut(node: NodeInfo): boolean {
  const name = baseName(node.path);
  return name.startsWith('.') || name === 'node_modules';
}

function viewFile(path: MemoryPath, content: Bytes, range: unknown): Reply {
  const text = utf8Decode(content);
  if (text !== undefined) return viewText(path, text, range);
  const image = readImage(content);
  if (image === undefined) return replies.binary(path, content.length);
  return fitsApi(image, content.length) ? [imageBlock(image, content)] : replies.imageTooLarge(path, image, content.length);
}

function imageBlock(image: ImageInfo, content: Bytes): BetaToolResultContentBlockParam {
  return { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: toBase64(content) } };
}

function viewText(path: MemoryPath, text: string, range: unknown): string {
  const lineCount = countLines(text);
  if (lineCount > LINES_MAX) throw refusals.tooManyLines(path);
  const [first, end] = parseRange(range, lineCount);
  const excerpt = fitView(linesWithin(text, first, end));
  const last = first + excerpt.lines.length - 1;
  const shown = replies.file(path, numberLines(excerpt.lines, first));
  if (excerpt.cutLineLength !== undefined) {
    return shown + viewNotes.cutInLine(first, excerpt.cutLineLength, end, lineCount);
  }
  return last < end ? shown + viewNotes.cutAtLine(first, last, end, lineCount) : shown;
}

/** First and last line to show. An end of -1 is the last line, as in the text editor tool that Claude knows. */
function parseRange(range: unknown, lineCount: number): readonly [first: number, end: number] {
  if (range === undefined) return [1, lineCount];
  const [first, last] = Array.isArray(range) && range.length === 2 ? range.map(parseWholeNumber) : [];
  if (first === undefined || last === undefined) throw refusals.viewRange(range, lineCount);
  const end = last === -1 ? lineCount : Math.min(last, lineCount);
  if (first < 1 || end < first) throw refusals.viewRange(range, lineCount);
  return [first, end];
}
