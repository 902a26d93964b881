import * as memgit from '../src/index.ts';

test('the public names are these, and no others by accident', () => {
  expect(Object.keys(memgit).sort()).toEqual([
    'ERRORS',
    'MemgitError',
    'clone',
    'conflictsOf',
    'formatPatch',
    'generateKey',
    'isMemgitError',
    'openRepository',
    'openStore',
    'progressRules',
  ]);
});
