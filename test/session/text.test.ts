import fc from 'fast-check';
import { digestOf, openingOf, progressText, statText, withSection } from '../../src/session/session-log.ts';
import type { SessionInfo } from '../../src/session/table.ts';
import { boundedText, cutAtSentence, requiredText } from '../../src/session/text.ts';

describe('cutAtSentence', () => {
  test('ends with a whole sentence, or with a whole word where the first sentence is too long', () => {
    const text = 'First it was built. Then it was tried! It held. Nothing more.';
    expect(cutAtSentence(text, 100)).toBe(text);
    expect(cutAtSentence(text, 50)).toBe('First it was built. Then it was tried! […]');
    expect(cutAtSentence(text, 30)).toBe('First it was built. […]');
    expect(cutAtSentence(text, 18)).toBe('First it was […]');
    expect(cutAtSentence('Version 1.2.3 came out today', 20)).toBe('Version 1.2.3 […]');
    expect(cutAtSentence('- one thing\n- another thing\n- a third', 32)).toBe('- one thing\n- another thing […]');
  });

  test('never passes its limit, keeps a beginning of the text, and leaves no half characters', () => {
    const words = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('. ', '! ', '\n', ' ')), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, fc.nat({ max: 80 }), (text, limit) => {
        const cut = cutAtSentence(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(text.isWellFormed());
        if (cut !== text && limit >= 4) expect(text.trimStart().startsWith(cut.slice(0, -4).trim()) || text.startsWith(cut.slice(0, -4).trim())).toBe(true);
      }),
    );
  });
});

test('texts of callers are bounded', () => {
  expect(boundedText('goal', ' x ', 1)).toBe('x');
  expect(() => boundedText('goal', 'xy', 1)).toThrow(expect.objectContaining({ code: 'TOO_LARGE', details: { field: 'goal', limit: 1 } }));
  expect(() => boundedText('goal', 7, 1)).toThrow(TypeError);
  expect(() => boundedText('goal', '\ud800', 9)).toThrow(TypeError);
  expect(() => requiredText('goal', ' \n', 9)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

describe('a log', () => {
  const info: SessionInfo = { number: 7, id: 'run', agent: 'coder', goal: 'finish', isFirst: false, status: 'open', started: '2026-11-01T10:00:00.000Z' };

  test('begins with the facts that are known', () => {
    expect(openingOf(info)).toBe('# Session 7\n\n- Started: 2026-11-01T10:00:00.000Z\n- Agent: coder\n- Goal: finish\n');
  });

  test('gives back its last sections, whoever wrote them', () => {
    let log = openingOf(info);
    expect(digestOf(log)).toEqual({});
    log = withSection(log, 'Progress', 'T1', progressText({ did: 'the first', next: ['a', 'b'] }));
    log = withSection(log, 'Progress', 'T2', progressText({ did: ['the second '], issues: '', next: [] }));
    expect(digestOf(log)).toEqual({ progress: 'Did: the second' });
    log = `${log}\n## Handoff\nBy hand, with\n## its own heading\nin it.`;
    expect(digestOf(log).handoff).toBe('By hand, with\n## its own heading\nin it.');
    log = withSection(log, 'Abandoned', 'T3', 'No way.');
    expect(digestOf(log)).toEqual({ progress: 'Did: the second', handoff: 'By hand, with\n## its own heading\nin it.', reason: 'No way.' });
  });

  test('lists what there is several of', () => {
    expect(progressText({ did: ['a', 'b'], issues: 'c', next: 'd' })).toBe('Did:\n- a\n- b\n\nIssues: c\n\nNext: d');
  });

  test('tells writes in a line', () => {
    const stat = { addedBytes: 1, removedBytes: 1, passed: [], regressed: [] };
    expect(statText({ ...stat, writes: 0, files: [], fileCount: 0 })).toBe('0 writes');
    const files = [{ path: '/memories/a', writes: 2 }, { path: '/memories/b', writes: 1 }];
    expect(statText({ ...stat, writes: 3, lastWrite: 'T', files, fileCount: 4 })).toBe('3 writes, last at T, in /memories/a, /memories/b and 2 more');
  });
});
