/**
 * Shapes of what `--json` prints, as a small part of JSON Schema: enough to document every field in docs/CLI.md and to check
 * real output against in tests. An object has the named fields and no others; facts are an object of any.
 */

export type Shape =
  | { readonly type: 'string' | 'integer' | 'boolean'; readonly about: string; readonly enum?: readonly string[] }
  | { readonly type: 'facts'; readonly about: string }
  | { readonly type: 'array'; readonly about: string; readonly items: Shape }
  | { readonly type: 'object'; readonly about: string; readonly properties: Fields; readonly required: readonly string[] };

type Fields = Readonly<Record<string, Shape>>;

export interface JsonOutput {
  /** One object a line, for streams; otherwise one object. */
  readonly lines: boolean;
  readonly shape: Shape;
}

export function string(about: string, ...values: readonly string[]): Shape {
  return values.length === 0 ? { type: 'string', about } : { type: 'string', about, enum: values };
}

export function integer(about: string): Shape {
  return { type: 'integer', about };
}

export function boolean(about: string): Shape {
  return { type: 'boolean', about };
}

export function facts(about: string): Shape {
  return { type: 'facts', about };
}

export function array(about: string, items: Shape): Shape {
  return { type: 'array', about, items };
}

/** @param optional fields that are left out when there is nothing to say */
export function object(about: string, required: Fields, optional: Fields = {}): Shape {
  return { type: 'object', about, properties: { ...required, ...optional }, required: Object.keys(required) };
}

export function oneObject(required: Fields, optional?: Fields): JsonOutput {
  return { lines: false, shape: object('', required, optional) };
}

export function objectPerLine(required: Fields, optional?: Fields): JsonOutput {
  return { lines: true, shape: object('', required, optional) };
}
