/**
 * Makes text harmless to a terminal: whatever could move the cursor, change colours, set the title, reorder what is read
 * or hide in it is shown as an escape instead of obeyed. A memory is written by a model that reads the web; its text is not to
 * be trusted.
 */
import { utf8Decode } from '../bytes.ts';

/**
 * C0 without tab and line feed, DEL, C1, the separators that some terminals break lines at, and what is not seen at all: the
 * bidirectional controls, and the tags and fillers in which a text for Claude can be hidden from people. The joiners and the two
 * selectors that emoji and some scripts need stay.
 */
const UNSAFE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\p{Default_Ignorable_Code_Point}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\0': '\\0', '\r': '\\r', '\n': '\\n', '\t': '\\t' };

/** Text of many lines: tabs and line feeds stay. */
export function visibleText(text: string): string {
  return text.replace(UNSAFE, escape);
}

/** Text that must stay on one line, such as a session id. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\t\n]/g, escape);
}

/** JSON: the same values, in characters that a terminal shows and does not obey. */
export function visibleJson(json: string): string {
  return json.replace(UNSAFE, (char) => char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`));
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
