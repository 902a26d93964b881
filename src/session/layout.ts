/**
 * Where the files of the progress log lie. All are ordinary files of the memory, so that Claude needs only its six commands.
 *
 *     /memories/progress/README.md        explains this layout to Claude
 *                        init.md          how the work is set up and started
 *                        features.json    the checklist
 *                        log/0007.md      what session 7 did and handed over
 *                        sessions.json    the table of sessions, which memgit keeps
 */
import { displayPath, parsePath, type MemoryPath } from '../vault/path.ts';

export const PROGRESS = parsePath('/memories/progress');
export const README = parsePath('/memories/progress/README.md');
export const INIT = parsePath('/memories/progress/init.md');
export const FEATURES = parsePath('/memories/progress/features.json');
export const TABLE = parsePath('/memories/progress/sessions.json');

export function logPath(number: number): MemoryPath {
  return parsePath(`/memories/progress/log/${String(number).padStart(4, '0')}.md`);
}

/** The session whose log this path is; `undefined` when it is none. */
export function logNumberOf(path: MemoryPath): number | undefined {
  const number = Number(/\/log\/(\d{4,9})\.md$/.exec(displayPath(path))?.[1] ?? 0);
  return number > 0 && path === logPath(number) ? number : undefined;
}
