/** What a brief tells, as plain data: `brief({ format: 'json' })` is the text of one such object. */
import type { Feature } from './checklist.ts';
import type { LogDigest } from './session-log.ts';
import type { SessionInfo, SessionStat } from './table.ts';

/** The least that a brief can be asked to fit into. */
export const MIN_BRIEF_CHARS = 200;

/** What the brief tells. Fields are absent where there is nothing to tell, or no room. */
export interface Brief {
  /** The session that is being briefed. */
  readonly session?: Pick<SessionInfo, 'number' | 'id' | 'isFirst' | 'agent' | 'model' | 'goal'>;
  readonly features?: BriefFeatures;
  /** Other sessions that are open. */
  readonly open?: readonly Pick<SessionInfo, 'number' | 'agent' | 'goal' | 'started'>[];
  /** Sessions before this one, newest first. */
  readonly sessions?: readonly BriefSession[];
  readonly since?: BriefSince;
  /** Paths of the files that are there to explain the work: the README of the progress log, and how to start the work. */
  readonly guides?: readonly string[];
}

export interface BriefFeatures {
  readonly total: number;
  readonly passing: number;
  readonly done: boolean;
  /** Why the checklist cannot be read; then the numbers say nothing. */
  readonly fault?: string;
  readonly next?: Pick<Feature, 'id' | 'description' | 'steps' | 'notes'>;
  /** Features that passed once and do not now. */
  readonly regressions?: readonly Pick<Feature, 'id' | 'description' | 'notes'>[];
}

export interface BriefSession extends LogDigest, Pick<SessionInfo, 'number' | 'agent' | 'goal' | 'status' | 'started' | 'ended'> {
  readonly stat?: SessionStat | undefined;
}

export interface BriefSince {
  /** The newest session that ended; absent when none did. */
  readonly session?: number | undefined;
  readonly commits: number;
  /** False when there are more than were counted. */
  readonly complete: boolean;
  /** Commits outside any session have no number. */
  readonly bySession: readonly { readonly number?: number | undefined; readonly commits: number }[];
}
