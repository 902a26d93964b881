/**
 * The measurements behind the numbers in the format (docs/DECISIONS.md): `node scripts/run-ts.mjs bench/format-choices.ts`.
 * Everything is measured on the bytes that a mutation adds to a pack, without a disk, so the figures are the same anywhere but
 * for the times.
 */
import { randomBytes } from 'node:crypto';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { toBase32, toBase64 } from '../src/bytes.ts';
import { decodeTree, encodeTree, oidOf, type Oid, type TreeEntry } from '../src/git/objects.ts';
import { paddedEntryLength } from '../src/vault/padding.ts';
import { parsePath } from '../src/vault/path.ts';
import { encodePayload } from '../src/vault/payload.ts';
import { encodeRecord } from '../src/vault/record.ts';
import { Random } from './random.ts';

const oid = () => randomBytes(20).toString('hex') as Oid;
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;

function printTable(title: string, head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  console.log(`\n${title}\n`);
  for (const cells of [head, head.map(() => '---'), ...rows]) console.log(`| ${cells.join(' | ')} |`);
}

/** What one changed entry adds in trees: the subtree that holds it and the root, deflated as in a pack. */
function treeCost(files: number, fans: number, nameBytes: number): { bytes: number; us: number } {
  const entry = (): TreeEntry => ({ mode: '100644', name: toBase32(randomBytes(nameBytes)), oid: oid() });
  const subtree = Array.from({ length: fans === 1 ? files : Math.max(1, Math.round(files / fans)) }, entry);
  const used = Math.round(fans * (1 - (1 - 1 / fans) ** files));
  const root = Array.from({ length: used }, (_, i): TreeEntry => ({ mode: '40000', name: i.toString(36).padStart(fans > 32 ? 2 : 1, '0'), oid: oid() }));
  const [encodedSubtree, encodedRoot] = [encodeTree(subtree), encodeTree(root)];
  const change = (encoded: Uint8Array) => {
    const [first, ...others] = decodeTree(encoded);
    const body = encodeTree([...others, { ...first!, oid: oid() }]);
    oidOf('tree', body);
    return deflateSync(body).length;
  };
  const runs = Array.from({ length: files > 1000 ? 41 : 201 }, () => {
    const started = performance.now();
    const bytes = change(encodedSubtree) + (fans === 1 ? 0 : change(encodedRoot));
    return { bytes, us: (performance.now() - started) * 1000 };
  });
  return { bytes: median(runs.map(({ bytes }) => bytes)), us: median(runs.map(({ us }) => us)) };
}

printTable('Fan-out: bytes of trees (µs of CPU) for one changed entry', ['files', 'flat', '16', '32', '256', '1024'], [20, 100, 1000, 10_000].map((files) => [
  files.toLocaleString('en'), ...[1, 16, 32, 256, 1024].map((fans) => treeCost(files, fans, 20)).map(({ bytes, us }) => `${bytes.toLocaleString('en')} (${us.toFixed(0)})`),
]));

printTable('Names: bytes of trees for one changed entry, fan-out 32', ['files', '15 bytes', '20 bytes', '30 bytes'], [20, 100, 10_000].map((files) => [
  files.toLocaleString('en'), ...[15, 20, 30].map((nameBytes) => treeCost(files, 32, nameBytes).bytes.toLocaleString('en')),
]));

/** Edits as an agent makes them. */
const EDITS: Readonly<Record<string, (text: string, random: Random) => string>> = {
  'a line changed in the middle': (text, random) => replaceLine(text, 0.5, random),
  'a line put in near the beginning': (text, random) => text.replace('\n', `\n- ${random.words(10)}\n`),
  'a line put at the end': (text, random) => `${text}- ${random.words(10)}\n`,
  'two lines changed, far apart': (text, random) => replaceLine(replaceLine(text, 0.05, random), 0.9, random),
  'a paragraph moved from the end to the beginning': (text) => text.slice(-2000) + text.slice(0, -2000),
};

function replaceLine(text: string, place: number, random: Random): string {
  const at = text.indexOf('\n', Math.floor(text.length * place)) + 1;
  return `${text.slice(0, at)}- ${random.words(10)}${text.slice(text.indexOf('\n', at))}`;
}

const deltas: (string | number)[][] = [];
for (const sizeBytes of [2_000, 20_000, 200_000]) {
  for (const [edit, apply] of Object.entries(EDITS)) {
    const random = new Random(sizeBytes);
    const before = random.note(sizeBytes);
    const [content, base] = [Buffer.from(apply(before, random)), Buffer.from(before)];
    const full = deflateRawSync(content).length;
    const dictionary = deflateRawSync(content, { dictionary: base.subarray(-32_768) }).length;
    const started = performance.now();
    const { bytes, encoding } = await encodePayload(content, 'deflate', { blob: oid(), depth: 0, content: base });
    const ms = performance.now() - started;
    const shown = (length: number) => `${length.toLocaleString('en')} → ${paddedEntryLength(length + 60).toLocaleString('en')}`;
    deltas.push([sizeBytes.toLocaleString('en'), edit, shown(full), shown(dictionary), `${shown(bytes.length)}${encoding === 'delta' ? '' : ` (${encoding})`}`, ms.toFixed(1)]);
  }
}
printTable('Delta: payload → padded entry, in bytes', ['file', 'edit', 'in full', 'whole, base as dictionary', 'chosen', 'ms'], deltas);

const random = new Random(1);
const lengths = Array.from({ length: 2000 }, () => {
  const paths = Array.from({ length: random.next() < 0.1 ? 2 : 1 }, () => parsePath(`/memories/${random.words(1 + random.below(3)).replaceAll(' ', '/')}.md`));
  const record = { op: 'str_replace', paths, timeMs: Date.now(), sequence: random.below(5000), generation: 0, addedBytes: random.below(3000), removedBytes: random.below(3000) };
  const unpadded = encodeRecord({ ...record, session: random.characters(26), toolUseId: `toolu_${random.characters(24)}`, model: 'claude-opus-4-5', ...(random.next() < 0.05 && { note: random.words(20) }) });
  return unpadded.length - [...unpadded].reverse().findIndex((byte) => byte !== 0);
});
printTable('Record: bytes of the message on average, and how many sizes are seen', ['padded to a multiple of', 'message', 'sizes'], [1, 32, 64, 128, 256].map((step) => {
  const padded = lengths.map((length) => Math.ceil(length / step) * step);
  const message = padded.reduce((sum, length) => sum + toBase64(new Uint8Array(length + 58)).length + 9, 0) / padded.length;
  return [step === 1 ? 'nothing' : step, Math.round(message), new Set(padded).size];
}));
