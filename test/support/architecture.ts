/**
 * Reads sources for what the architecture forbids: imports of a higher floor, circles, packages outside their room, and the
 * command line's things (arguments, environment, terminal) below it. Takes texts, so that planted faults can be tried on it.
 */
import { posix } from 'node:path';
import ts from 'typescript';

/** Floor of each folder and file of src/, by the longest prefix. */
const FLOORS: Readonly<Record<string, number>> = {
  'src/errors.ts': 0,
  'src/bytes.ts': 0,
  'src/checks.ts': 0,
  'src/crypto/': 1,
  'src/git/': 2,
  'src/vault/': 3,
  'src/memory/': 4,
  'src/history/': 5,
  'src/sync/': 6,
  'src/key.ts': 7,
  'src/open-vaults.ts': 7,
  'src/store.ts': 7,
  'src/store-options.ts': 7,
  'src/vault.ts': 7,
  'src/vault-base.ts': 7,
  'src/vault-history.ts': 7,
  'src/vault-sync.ts': 7,
  'src/store-sync.ts': 7,
  'src/clone.ts': 7,
  'src/session/': 7,
  'src/index.ts': 7,
  'src/cli/': 8,
};

/** The one room of each package. */
const ROOMS: Readonly<Record<string, string>> = {
  'libsodium-wrappers': 'src/crypto/',
  'isomorphic-git': 'src/git/',
  cborg: 'src/vault/',
  'lru-cache': 'src/vault/',
  '@anthropic-ai/sdk': 'src/memory/',
  diff: 'src/history/',
  commander: 'src/cli/',
};

/** A missing optional peer must not break the import of memgit: only types, and what is loaded when asked for. */
const OPTIONAL = '@anthropic-ai/sdk';

const COMMAND_LINE_ONLY = /^process\.(env|argv|stdin|stdout|stderr|exit|exitCode)$/;
/** Programs need an environment to run in; git's is the caller's without what could redirect it. */
const MAY_READ_ENVIRONMENT = ['src/git/environment.ts'];

const MAX_LINES = 300;

interface Import {
  readonly target: string;
  /** Loaded whenever the importing file is. */
  readonly eager: boolean;
}

/** Returns one sentence for each fault. Keys are paths from the root of the repository. */
export function findViolations(sources: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const floor = floorOf(file);
    if (floor === undefined) faults.push(`${file} is on no floor`);
    const lines = text.trimEnd().split('\n').length;
    if (lines > MAX_LINES) faults.push(`${file} has ${lines} lines, more than ${MAX_LINES}`);
    const { imports, names } = read(file, text);
    const local = imports.filter(({ target }) => target.startsWith('.')).map(({ target }) => posix.join(posix.dirname(file), target));
    graph.set(file, local);
    for (const target of local) {
      if (!sources.has(target)) faults.push(`${file} imports ${target}, which does not exist`);
      else if ((floorOf(target) ?? Infinity) > (floor ?? Infinity)) faults.push(`${file} imports upward: ${target}`);
    }
    for (const each of imports) faults.push(...packageFaults(file, each));
    for (const name of floor === FLOORS['src/cli/'] ? [] : names) {
      if (name === 'process.env' && MAY_READ_ENVIRONMENT.includes(file)) continue;
      if (name === 'console' || COMMAND_LINE_ONLY.test(name)) faults.push(`${file} uses ${name}, which only the command line may`);
    }
  }
  return [...faults, ...findCircles(graph)];
}

function floorOf(file: string): number | undefined {
  return Object.entries(FLOORS).find(([place]) => (place.endsWith('/') ? file.startsWith(place) : file === place))?.[1];
}

function packageFaults(file: string, { target, eager }: Import): string[] {
  if (target.startsWith('.')) return [];
  if (target.startsWith('node:')) {
    const hidden = target === 'node:process' || target === 'node:console';
    return hidden ? [`${file} imports ${target}: use the global, so that this test sees what is used of it`] : [];
  }
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
  const room = ROOMS[name];
  if (room === undefined) return [`${file} imports ${name}, which has no room`];
  if (!file.startsWith(room)) return [`${file} imports ${name}, whose room is ${room}`];
  return name === OPTIONAL && eager ? [`${file} imports ${name} eagerly, but it is optional`] : [];
}

/** Returns what a file imports, statically, dynamically and for types, and the globals it names. */
function read(file: string, text: string): { imports: Import[]; names: string[] } {
  const imports: Import[] = [];
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      const typeOnly = ts.isImportDeclaration(node) ? node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword : node.isTypeOnly;
      imports.push({ target: textOf(node.moduleSpecifier), eager: !typeOnly });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0] !== undefined) {
      imports.push({ target: textOf(node.arguments[0]), eager: false });
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      imports.push({ target: textOf(node.argument.literal), eager: false });
    } else if (ts.isPropertyAccessExpression(node)) {
      names.push(node.getText());
    } else if (ts.isIdentifier(node)) {
      names.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return { imports, names };
}

function textOf(node: ts.Node): string {
  return ts.isStringLiteralLike(node) ? node.text : `(computed) ${node.getText()}`;
}

/** Returns one sentence for each import that closes a circle. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) circles.push(`circle: ${[...path.slice(start), file].join(' -> ')}`);
    if (start >= 0 || done.has(file)) return;
    for (const target of graph.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  return circles;
}
