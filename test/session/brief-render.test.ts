/**
 * Briefs of hostile texts and any bound: inside it, JSON always whole, nothing cut but at a sentence or a word. Seen to fail with
 * texts cut at a number of characters, and with JSON that is cut where no level fits.
 */
import fc from 'fast-check';
import { MIN_BRIEF_CHARS, type Brief } from '../../src/session/brief-content.ts';
import { renderBrief } from '../../src/session/brief-render.ts';

const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('. ', '! ', '\n\n', '}', '"', '\\', '\u0000', ' […]', '## Handoff', '👩‍👩‍👧', 'word ', 'x'.repeat(300), 'One sentence. '.repeat(30), '\u0001'.repeat(200)),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('').trim());
const optional = fc.option(text, { nil: undefined });
const number = fc.integer({ min: 1, max: 99_999 });
const count = fc.integer({ min: 0, max: 1_000_000 });
const feature = { id: text, description: text, notes: text };
const stat = fc.record({
  writes: count, addedBytes: count, removedBytes: count, fileCount: count,
  files: fc.array(fc.record({ path: text, writes: count }), { maxLength: 5 }),
  passed: fc.array(text, { maxLength: 30 }),
  regressed: fc.array(text, { maxLength: 30 }),
});
const brief = fc.record(
  {
    session: fc.record({ number, id: text, isFirst: fc.boolean(), agent: optional, model: optional, goal: optional }),
    features: fc.record(
      {
        total: count, passing: count, done: fc.boolean(),
        next: fc.record({ ...feature, steps: fc.array(text, { maxLength: 40 }) }),
        regressions: fc.array(fc.record(feature), { maxLength: 30 }),
      },
      { requiredKeys: ['total', 'passing', 'done'] },
    ),
    open: fc.array(fc.record({ number, agent: optional, goal: optional, started: fc.constant('2026-11-30T15:00:00.000Z') }), { maxLength: 30 }),
    sessions: fc.array(
      fc.record({
        number, agent: optional, goal: optional, started: fc.constant('2026-11-30T15:00:00.000Z'), ended: fc.constant(undefined),
        status: fc.constantFrom('ended' as const, 'abandoned' as const, 'interrupted' as const),
        stat, handoff: text, reason: text, progress: text,
      }),
      { maxLength: 10 },
    ),
    since: fc.record({ session: number, commits: count, complete: fc.boolean(), bySession: fc.array(fc.record({ number, commits: count }), { maxLength: 300 }) }),
    guides: fc.subarray(['/memories/progress/README.md', '/memories/progress/init.md']),
  },
  { requiredKeys: [] },
);
/** Making a case of so many texts smaller takes minutes, and its seed tells it again. */
const unshrunk = { endOnFailure: true };
const bound = fc.integer({ min: MIN_BRIEF_CHARS, max: 20_000 });

test('a text is inside its bound, well-formed, and always the same', () => {
  fc.assert(
    fc.property(brief, bound, (value, maxChars) => {
      const told = renderBrief(value, 'text', maxChars);
      expect(told.length).toBeLessThanOrEqual(maxChars);
      expect(told.isWellFormed()).toBe(true);
      expect(renderBrief(structuredClone(value), 'text', maxChars)).toBe(told);
    }),
    unshrunk,
  );
});

test('JSON is inside its bound and whole, and its texts are cut where a word ends', () => {
  fc.assert(
    fc.property(brief, bound, (value, maxChars) => {
      const told = renderBrief(value, 'json', maxChars);
      expect(told.length).toBeLessThanOrEqual(maxChars);
      const parsed = JSON.parse(told) as Brief;
      const pairs = (parsed.sessions ?? []).map(({ handoff }, index) => [handoff, value.sessions?.[index]?.handoff]);
      for (const [shown = '', whole = ''] of [...pairs, [parsed.features?.next?.description, value.features?.next?.description]]) {
        if (shown === whole || shown === '' || shown === '[…]') continue;
        const kept = shown.replace(/ \[…\]$/, '');
        expect(whole.startsWith(kept)).toBe(true);
        expect(whole.slice(kept.length)).toMatch(/^(?:\s| \[…\])/);
      }
    }),
    unshrunk,
  );
});
