/**
 * Makes text harmless to a terminal: whatever could move the cursor, change colours, set the title or reorder what is read
 * is shown as an escape instead of obeyed. A memory is written by a model that reads the web; its text is not to be trusted.
 */
import { utf8Decode } from '../bytes.ts';

/** C0 without tab and line feed, DEL, C1, the bidirectional controls and the separators that some terminals break lines at. */
const UNSAFE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const SHORT: Readonly<Record<string, string>> = { '\0': '\\0', '\r': '\\r', '\n': '\\n', '\t': '\\t' };

/** Text of many lines: tabs and line feeds stay. */
export function visibleText(text: string): string {
  return text.replace(UNSAFE, escape);
}

/** Text that must stay on one line, such as a session id. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\t\n]/g, escape);
}

/** Bytes of any kind: UTF-8 as text; of anything else every byte that is not ASCII as `\xNN`. */
export function visibleBytes(bytes: Uint8Array): string {
  const text = utf8Decode(bytes);
  if (text !== undefined) return visibleText(text);
  return visibleText(Buffer.from(bytes).toString('latin1').replace(/[\x80-\xff]/g, escape));
}

function escape(char: string): string {
  const code = char.codePointAt(0)!;
  return SHORT[char] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`);
}
