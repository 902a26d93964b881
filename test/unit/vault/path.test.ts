/**
 * The one spelling of a path. Seen to fail with `..` let through, with a spelling that is decoded twice let through, and without NFC.
 */
import fc from 'fast-check';
import { isMemgitError } from '../../../src/errors.ts';
import {
  ancestorsOf,
  baseName,
  displayPath,
  isWithin,
  joinPath,
  movedPath,
  parentOf,
  parsePath,
  rebasePath,
  ROOT,
} from '../../../src/vault/path.ts';

function faultOf(text: unknown): unknown {
  try {
    parsePath(text);
    return undefined;
  } catch (error) {
    if (!isMemgitError(error, 'INVALID_PATH')) throw error;
    return error.details['reason'];
  }
}

describe('parsePath', () => {
  test.each([
    ['/memories', ''],
    ['/memories/', ''],
    ['/memories//.///', ''],
    ['/memories/a.txt', 'a.txt'],
    ['/memories/a/b/', 'a/b'],
    ['/memories//a/./b', 'a/b'],
    ['/memories/...', '...'],
    ['/memories/.hidden', '.hidden'],
    ['/memories/a b~:*?"<>|', 'a b~:*?"<>|'],
    ['/memories/e\u0301', '\u00e9'],
    ['/memories/100% done', '100% done'],
    ['/memories/a%2etxt', 'a%2etxt'],
    ['/memories/%2e%2e%2e', '%2e%2e%2e'],
    ['/memories/%00', '%00'],
    ['/memories/\u2028', '\u2028'],
  ])('%j is %j', (text, path) => {
    expect(parsePath(text)).toBe(path);
  });

  test.each([
    [undefined, 'not-text'],
    [7, 'not-text'],
    [['/memories'], 'not-text'],
    ['/memories/\ud800', 'surrogate'],
    ['/memories/a\u0000', 'control'],
    ['/memories/a\nb', 'control'],
    ['/memories/\u007f', 'control'],
    ['/memories/\u0085', 'control'],
    ['/memories/..\\a', 'backslash'],
    ['', 'outside'],
    ['/', 'outside'],
    ['memories/a', 'outside'],
    ['/Memories/a', 'outside'],
    [' /memories', 'outside'],
    ['//memories/a', 'outside'],
    ['/memoriesX', 'outside'],
    ['/memories_backup/a', 'outside'],
    ['/memories/..', 'dot-dot'],
    ['/memories/a/../b', 'dot-dot'],
    ['/memories/%2e', 'percent-encoded'],
    ['/memories/%2E%2e/a', 'percent-encoded'],
    ['/memories/.%2e', 'percent-encoded'],
    ['/memories/a%2fb', 'percent-encoded'],
    ['/memories/a%5Cb', 'percent-encoded'],
    ['/memories/%252e%252e', 'percent-encoded'],
    ['/memories/a%25252Fb', 'percent-encoded'],
  ])('%j is refused: %s', (text, reason) => {
    expect(faultOf(text)).toBe(reason);
  });

  test('limits are bytes of UTF-8, after normalisation', () => {
    expect(faultOf(`/memories/${'n'.repeat(255)}`)).toBeUndefined();
    expect(faultOf(`/memories/${'n'.repeat(256)}`)).toBe('long-segment');
    expect(faultOf(`/memories/${'\u{1f600}'.repeat(64)}`)).toBe('long-segment');
    // 85 x 3 bytes decomposed, 85 x 2 composed.
    expect(faultOf(`/memories/${'e\u0301'.repeat(127)}`)).toBeUndefined();

    const deep = `/memories/${'d/'.repeat(506)}`;
    expect(faultOf(`${deep}ff`)).toBeUndefined();
    expect(faultOf(`${deep}fff`)).toBe('long-path');
  });

  test('a spelling is bounded before it is normalised, but never a decomposed one of what fits', () => {
    const fits = `/memories/${Array.from({ length: 4 }, () => '\u0390'.repeat(126)).join('/')}`;
    expect(parsePath(fits.normalize('NFD'))).toBe(fits.slice(10));
    // Seen to fail without the bound: this one takes minutes.
    expect(faultOf(`/memories/a${'\u0315\u0300'.repeat(1_000_000)}`)).toBe('long-path');
    expect(faultOf(`/memories/${'./'.repeat(10_000)}a`)).toBe('long-path');
  });

  test('an error holds nothing of the path', () => {
    try {
      parsePath('/elsewhere/secret');
    } catch (error) {
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('secret');
    }
    expect.assertions(1);
  });

  test('what is parsed is displayed as a path that parses to itself', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('.', '..', '%2e', '')), { maxLength: 6 }), (parts) => {
        const text = `/memories/${parts.join('/')}`;
        if (faultOf(text) !== undefined) return;
        const path = parsePath(text);
        expect(parsePath(displayPath(path))).toBe(path);
        for (const segment of path === ROOT ? [] : path.split('/')) expect(['', '.', '..']).not.toContain(segment);
      }),
    );
  });
});

describe('what paths are to each other', () => {
  const path = parsePath('/memories/a/b/c.txt');
  const directory = parsePath('/memories/a/b');

  test('parents, names and ancestors', () => {
    expect(parentOf(path)).toBe('a/b');
    expect(parentOf(parsePath('/memories/a'))).toBe(ROOT);
    expect(parentOf(ROOT)).toBe(ROOT);
    expect(baseName(path)).toBe('c.txt');
    expect(baseName(ROOT)).toBe('');
    expect(ancestorsOf(path)).toEqual(['a/b', 'a', '']);
    expect(ancestorsOf(ROOT)).toEqual([]);
    expect(displayPath(ROOT)).toBe('/memories');
  });

  test('isWithin goes by segments', () => {
    expect(isWithin(path, directory)).toBe(true);
    expect(isWithin(path, path)).toBe(true);
    expect(isWithin(path, ROOT)).toBe(true);
    expect(isWithin(parsePath('/memories/a/bc'), directory)).toBe(false);
    expect(isWithin(directory, path)).toBe(false);
  });

  test('joinPath takes one normalised name', () => {
    expect(joinPath(directory, 'c.txt')).toBe(path);
    expect(joinPath(ROOT, 'a')).toBe('a');
    for (const name of ['', '.', 'x/y', 'e\u0301']) expect(() => joinPath(directory, name)).toThrow(TypeError);
    expect(() => joinPath(directory, '..')).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
  });

  test('rebasePath moves a path along with what it is in', () => {
    const to = parsePath('/memories/z');
    expect(rebasePath(path, directory, to)).toBe('z/c.txt');
    expect(rebasePath(path, path, to)).toBe('z');
    expect(() => rebasePath(to, directory, to)).toThrow(TypeError);
    const long = parsePath(`/memories/${'d/'.repeat(506)}f`);
    expect(() => rebasePath(path, directory, long)).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
  });

  test('movedPath moves it too, and leaves alone what is elsewhere or would not fit', () => {
    const to = parsePath('/memories/z');
    const long = parsePath(`/memories/${'d/'.repeat(506)}ff`);
    expect(movedPath(path, directory, to)).toBe('z/c.txt');
    expect(movedPath(to, directory, path)).toBe(to);
    expect(movedPath(path, directory, long)).toBe(path);
  });
});
