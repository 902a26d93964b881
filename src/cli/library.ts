/**
 * The library as the commands load it: all at once, and only when one needs it, so that help, completion and mistakes in the
 * arguments cost nothing. One door, since the bundler cuts what several doors share into many files, and each takes time to load.
 */
export { clone } from '../clone.ts';
export { parseKey } from '../crypto/key-text.ts';
export { makeFolders, syncNames } from '../git/create.ts';
export { nodeFileSystem } from '../git/fs.ts';
export { generateKey } from '../key.ts';
export { openRepository, openStore } from '../store.ts';
