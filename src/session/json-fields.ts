/** Finds a field that stands twice in one object of a JSON text. Parsers keep the last and say nothing. Pure. */

/** @param json a text that parses @returns the line of the second one, counted from 1; `undefined` when there is none */
export function repeatedFieldLine(json: string): number | undefined {
  /** The fields met in each object around; `undefined` for a list. */
  const around: (Set<string> | undefined)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at]!;
    if (char === '{') around.push(new Set());
    else if (char === '[') around.push(undefined);
    else if (char === '}' || char === ']') around.pop();
    else if (char === '"') {
      const end = endOfString(json, at);
      if (isName(json, end)) {
        // Spelled alike or with escapes: what counts is the name that a parser reads.
        const name = JSON.parse(json.slice(at, end)) as string;
        const fields = around.at(-1)!;
        if (fields.has(name)) return json.slice(0, at).split('\n').length;
        fields.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** Behind its closing quote. A pattern would do, but overflows the stack in a string of millions of escapes. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isName(json: string, end: number): boolean {
  const colon = /\s*:/y;
  colon.lastIndex = end;
  return colon.test(json);
}
