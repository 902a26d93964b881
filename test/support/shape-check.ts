/** Holds values to the shapes that docs/CLI.md describes: what is wrong with a value, and which fields it shows. */
import type { Shape } from '../../src/cli/shape.ts';

/** Returns one sentence for each place where the value is not what the shape says. */
export function faultsOf(value: unknown, shape: Shape, place = '$'): string[] {
  if (shape.type === 'array') {
    if (!Array.isArray(value)) return [`${place} is no array`];
    return value.flatMap((item, index) => faultsOf(item, shape.items, `${place}[${index}]`));
  }
  if (shape.type === 'object') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${place} is no object`];
    const missing = shape.required.filter((name) => !(name in value)).map((name) => `${place}.${name} is missing`);
    const found = Object.entries(value).flatMap(([name, field]) => {
      const known = shape.properties[name];
      return known ? faultsOf(field, known, `${place}.${name}`) : [`${place}.${name} is not described`];
    });
    return [...missing, ...found];
  }
  if (shape.type === 'facts') return typeof value === 'object' && value !== null && !Array.isArray(value) ? [] : [`${place} is no object`];
  const right = shape.type === 'integer' ? Number.isSafeInteger(value) : typeof value === shape.type;
  if (!right) return [`${place} is no ${shape.type}`];
  return shape.enum && !shape.enum.includes(value as string) ? [`${place} is not one of its values`] : [];
}

/** Every field that a shape describes, such as `files[].path`. */
export function describedFields(shape: Shape, place = ''): string[] {
  if (shape.type === 'array') return describedFields(shape.items, `${place}[]`);
  if (shape.type !== 'object') return [];
  return Object.entries(shape.properties).flatMap(([name, field]) => {
    const here = place === '' ? name : `${place}.${name}`;
    return [here, ...describedFields(field, here)];
  });
}

/** Every field that a value has, named the same way. */
export function shownFields(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => shownFields(item, `${place}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const here = place === '' ? name : `${place}.${name}`;
    return [here, ...shownFields(field, here)];
  });
}
