import fc from 'fast-check';
import { repeatedFieldLine } from '../../src/session/json-fields.ts';
import { comparePasses, encodeChecklist, isChecklist, isSameList, parseChecklist, passedWithoutEvidence, type Feature } from '../../src/session/checklist.ts';

const feature = (id: string, fields: Partial<Feature> = {}): Feature => ({ id, description: `does ${id}`, steps: ['try it'], passes: false, evidence: '', notes: '', ...fields });

const features = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, unit: 'grapheme' }).filter((id) => id.trim() !== ''),
    description: fc.string({ unit: 'grapheme' }),
    steps: fc.array(fc.string({ unit: 'grapheme' })),
    passes: fc.boolean(),
    evidence: fc.string({ unit: 'grapheme' }),
    notes: fc.string({ unit: 'grapheme' }),
  }),
  { selector: ({ id }) => id },
);

test('what is written is read again', () => {
  fc.assert(
    fc.property(features, (list) => {
      expect(parseChecklist(encodeChecklist(list))).toEqual(list);
    }),
  );
});

test('fields stay in the order in which they stand', () => {
  const text = encodeChecklist([feature('a', { passes: true, evidence: 'ran it' })]);
  const parsed = parseChecklist(text);
  expect(isChecklist(parsed) && encodeChecklist(parsed)).toBe(text);
});

test.each([
  ['', { kind: 'not-json' }],
  ['[{"id": "a",]', { kind: 'not-json' }],
  ['{}', { kind: 'not-a-list' }],
  ['null', { kind: 'not-a-list' }],
  ['[null]', { kind: 'field', at: 1, field: 'id' }],
  ['[{"id": " ", "description": "", "steps": [], "passes": false}]', { kind: 'field', field: 'id' }],
  ['[{"id": "a", "description": 1, "steps": [], "passes": false}]', { kind: 'field', field: 'description' }],
  ['[{"id": "a", "description": "", "steps": "one", "passes": false}]', { kind: 'field', field: 'steps' }],
  ['[{"id": "a", "description": "", "steps": [], "passes": "true"}]', { kind: 'field', field: 'passes' }],
  ['[{"id": "a", "description": "", "steps": [], "passes": true, "evidence": true}]', { kind: 'field', field: 'evidence' }],
  ['[{"id": "a", "description": "", "steps": [], "passes": true, "notes": []}]', { kind: 'field', field: 'notes' }],
])('%s is no checklist', (text, fault) => {
  expect(parseChecklist(text)).toMatchObject(fault);
});

/** Seen to fail with a scanner that compares names as they are spelled, and with one that forgets in which object it is. */
test('a field that stands twice is found wherever it stands, and nothing else is', () => {
  const line = (text: string) => (isChecklist(parseChecklist(text)) ? undefined : parseChecklist(text));
  expect(line('[{"id": "a",\n"\\u0069d": "b"}]')).toEqual({ kind: 'repeated-field', line: 2 });
  expect(line('[\n{"x": [{"y": {"a": 1,\n\n"b": "{", "a" : 2}}]}]')).toEqual({ kind: 'repeated-field', line: 4 });
  expect(line(JSON.stringify(['"'.repeat(5_000_000)]))).toMatchObject({ kind: 'field' });
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (json, indented) => {
      const text = indented ? JSON.stringify(JSON.parse(json), undefined, 2) : JSON.stringify(JSON.parse(json));
      expect(repeatedFieldLine(text)).toBeUndefined();
      const again = `{"key": ${text},\n"key": ${text}}`;
      expect([repeatedFieldLine(again), repeatedFieldLine(`[[${again}]]`)]).toEqual(Array(2).fill(text.split('\n').length + 1));
    }),
  );
});

test('an id that is repeated is found, and evidence and notes may be absent', () => {
  const item = { id: 'a', description: 'does a', steps: [], passes: false };
  expect(parseChecklist(JSON.stringify([item]))).toEqual([{ ...item, evidence: '', notes: '' }]);
  expect(parseChecklist(JSON.stringify([item, item]))).toEqual({ kind: 'repeated-id', at: 2, id: 'a' });
});

test('a fault in the JSON is told with its line where the engine tells it, and never with the text', () => {
  const fault = parseChecklist('[\n{"id": "secret\n}]');
  expect(fault).toMatchObject({ kind: 'not-json' });
  expect(JSON.stringify(fault)).not.toContain('secret');
});

describe('a fixed list', () => {
  const list = [feature('a'), feature('b')];

  test.each<[string, readonly Feature[]]>([
    ['one more', [...list, feature('c')]],
    ['one less', [feature('a')]],
    ['another order', [feature('b'), feature('a')]],
    ['another id', [feature('a'), feature('c')]],
    ['another wording', [feature('a', { description: 'does less' }), feature('b')]],
    ['other steps', [feature('a', { steps: [] }), feature('b')]],
    ['a new field', [{ ...feature('a'), optional: true } as Feature, feature('b')]],
  ])('does not allow %s', (_, changed) => {
    expect(isSameList(list, changed)).toBe(false);
  });

  test('allows the result, its evidence and notes, in whatever order the fields stand', () => {
    const { id, ...rest } = feature('a', { passes: true, evidence: 'ran it', notes: 'slow' });
    expect(isSameList(list, [{ ...rest, id }, feature('b')])).toBe(true);
  });
});

test('a feature passes only with evidence; what passed before without any may stay', () => {
  const before = [feature('a'), feature('b', { passes: true })];
  expect(passedWithoutEvidence(before, before)).toBeUndefined();
  expect(passedWithoutEvidence(before, [feature('a', { passes: true, evidence: ' \n' }), before[1]!])?.id).toBe('a');
  expect(passedWithoutEvidence(before, [feature('a', { passes: true, evidence: 'ran it' }), before[1]!])).toBeUndefined();
  const proven = [feature('a', { passes: true, evidence: 'ran it' })];
  expect(passedWithoutEvidence(proven, [feature('a', { passes: true })])?.id).toBe('a');
  expect(passedWithoutEvidence(proven, [feature('a')])).toBeUndefined();
});

test('what came to pass and what broke', () => {
  const before = [feature('a'), feature('b', { passes: true }), feature('c', { passes: true })];
  const after = [feature('a', { passes: true }), feature('b'), feature('c', { passes: true }), feature('d', { passes: true })];
  expect(comparePasses(before, after)).toEqual({ passed: ['a', 'd'], regressed: ['b'] });
});

test('a list that parses is told from a fault', () => {
  expect(isChecklist([])).toBe(true);
  expect(isChecklist({ kind: 'not-a-list' })).toBe(false);
});
