/** Every command, in the order in which help lists them. */
import type { Command } from '../command.ts';
import { blame } from './blame.ts';
import { cat } from './cat.ts';
import { clone } from './clone.ts';
import { completionOf } from './completion.ts';
import { diff } from './diff.ts';
import { exportCommand } from './export.ts';
import { fetch } from './fetch.ts';
import { gc } from './gc.ts';
import { grep } from './grep.ts';
import { importCommand } from './import.ts';
import { init } from './init.ts';
import { keyCheck } from './key-check.ts';
import { log } from './log.ts';
import { ls } from './ls.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';
import { remoteAdd, remoteList, remoteRemove } from './remote.ts';
import { restore } from './restore.ts';
import { revert } from './revert.ts';
import { show } from './show.ts';
import { status } from './status.ts';
import { users } from './users.ts';
import { verify } from './verify.ts';
import { brief } from './brief.ts';
import { features } from './features.ts';
import { progress } from './progress.ts';
import { sessionAbandon, sessionEnd } from './session-end.ts';
import { sessionDiff } from './session-diff.ts';
import { sessionList } from './session-list.ts';
import { sessionRevert } from './session-revert.ts';
import { sessionShow } from './session-show.ts';
import { sessionStart } from './session-start.ts';

export const COMMANDS: readonly Command[] = [
  init, users,
  ls, cat, log, show, diff, blame, grep,
  revert, restore,
  status, verify, gc, keyCheck,
  importCommand, exportCommand,
  remoteAdd, remoteList, remoteRemove, push, fetch, pull, clone,
  sessionStart, sessionEnd, sessionAbandon, sessionList, sessionShow, sessionDiff, sessionRevert, brief, progress, features,
  completionOf(() => COMMANDS),
];

/** What each of the words that only hold commands is about. */
export const FAMILIES: Readonly<Record<string, string>> = {
  key: 'Look after the key of a store',
  remote: 'Say where the backups of a memory are',
  session: 'Start, end, look into and undo sessions',
};

/** The command that the words begin with; `key check` has two. */
export function findCommand(words: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name);
}
