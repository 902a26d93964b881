/**
 * Writes docs/FILES.md: every source file with the first sentence of its own header comment, so that the list cannot say
 * anything else than the files do. `--check` only compares, and fails when the list is out of date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

process.chdir(`${import.meta.dirname}/..`);
const target = 'docs/FILES.md';
const list = `# The source files

The first sentence of every file's header comment, made by \`npm run docs:files\`. [ARCHITECTURE.md](../ARCHITECTURE.md) says how
the folders lie on each other.

${folders().map(section).join('\n')}`;

if (!process.argv.includes('--check')) {
  writeFileSync(target, list);
} else if (readFileSync(target, 'utf8') !== list) {
  console.error(`${target} is out of date; run \`npm run docs:files\``);
  process.exitCode = 1;
}

/** `src` and every folder below it that has source files, in order. */
function folders() {
  const files = readdirSync('src', { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.ts'));
  return [...new Set(files.map(({ parentPath }) => parentPath))].sort();
}

/** @param {string} folder */
function section(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts')).sort();
  return `## ${folder}\n\n${files.map((name) => `- \`${name}\` ${firstSentence(`${folder}/${name}`)}`).join('\n')}\n`;
}

/** @param {string} file */
function firstSentence(file) {
  const header = /^(?:#!.*\n)?\/\*\*([^]*?)\*\//.exec(readFileSync(file, 'utf8'))?.[1];
  if (header === undefined) throw new Error(`${file}: expected a header comment, found none`);
  const [paragraph = ''] = header.replace(/^[ \t]*\*[ \t]?/gm, '').trim().split(/\n\s*\n/);
  const text = paragraph.replace(/\s+/g, ' ').replace(/:$/, '.');
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}
