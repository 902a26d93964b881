/**
 * An esbuild plugin: libsodium carries its WebAssembly as base64, and decodes it with a loop in JavaScript that is still cold
 * when it runs, once in every start of the command. Node's own decoder gives the same bytes in a twentieth of the time.
 */
import { readFile } from 'node:fs/promises';

/** `(A => { for (…) …; return E })("…")`: the decoder, called on the text. */
const DECODED = /\(\w=>\{for\(var .{1,400}?return \w\}\)\("([A-Za-z0-9+/]{100000,}={0,2})"\)/g;
const WASM_MAGIC = '\0asm';

/** @type {import('esbuild').Plugin} */
export const libsodiumDecoded = {
  name: 'libsodium-decoded',
  setup(build) {
    build.onLoad({ filter: /[\\/]libsodium[\\/]dist[\\/]modules-esm[\\/]libsodium\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const found = [...text.matchAll(DECODED)];
      const bytes = Buffer.from(found[0]?.[1] ?? '', 'base64');
      if (found.length !== 1 || bytes.toString('latin1', 0, WASM_MAGIC.length) !== WASM_MAGIC) throw new Error('expected one WebAssembly module in libsodium, written as before; look at how it is decoded now');
      return { contents: text.replace(DECODED, (_, base64) => `Buffer.from("${base64}","base64")`), loader: 'js' };
    });
  },
};
