/**
 * An esbuild plugin: libsodium carries its WebAssembly as base64, which every start of the command would have to scan as source and
 * decode with a loop in JavaScript that is still cold. The bytes go into a file of their own, beside the code that reads them.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';

/** `(A => { for (…) …; return E })("…")`: the decoder, called on the text. */
const DECODED = /\(\w=>\{for\(var .{1,400}?return \w\}\)\("([A-Za-z0-9+/]{100000,}={0,2})"\)/g;
const WASM_MAGIC = '\0asm';
const FILE = 'libsodium.wasm';

/**
 * @param {string} folder where the code that reads the bytes ends up, as CommonJS
 * @returns {import('esbuild').Plugin}
 */
export function libsodiumApart(folder) {
  return {
    name: 'libsodium-apart',
    setup(build) {
      build.onLoad({ filter: /[\\/]libsodium[\\/]dist[\\/]modules-esm[\\/]libsodium\.mjs$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const found = [...text.matchAll(DECODED)];
        const bytes = Buffer.from(found[0]?.[1] ?? '', 'base64');
        if (found.length !== 1 || bytes.toString('latin1', 0, WASM_MAGIC.length) !== WASM_MAGIC) throw new Error('expected one WebAssembly module in libsodium, written as before; look at how it is decoded now');
        await mkdir(folder, { recursive: true });
        await writeFile(`${folder}/${FILE}`, bytes);
        return { contents: text.replace(DECODED, () => `require("node:fs").readFileSync(__dirname+"/${FILE}")`), loader: 'js' };
      });
    },
  };
}
