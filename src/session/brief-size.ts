/** Makes a brief smaller, level by level: shorter texts, fewer sessions, fewer steps. Texts are cut at sentences. Pure. */
import type { Brief, BriefFeatures, BriefSession, BriefSince } from './brief-content.ts';
import { cutAtSentence } from './text.ts';

export interface Level {
  /** Characters of a long text, such as a handoff. */
  readonly text: number;
  /** Characters of a short one, such as a goal or a step. */
  readonly line: number;
  readonly sessions: number;
  readonly steps: number;
  /** Regressions, open sessions, files, and sessions that commits are counted for; 0 leaves the guides out, too. */
  readonly items: number;
}

export const LEVELS: readonly Level[] = [
  { text: 3000, line: 600, sessions: 10, steps: 30, items: 20 },
  { text: 1500, line: 400, sessions: 8, steps: 20, items: 10 },
  { text: 900, line: 300, sessions: 5, steps: 15, items: 8 },
  { text: 600, line: 200, sessions: 3, steps: 10, items: 5 },
  { text: 350, line: 150, sessions: 3, steps: 8, items: 4 },
  { text: 200, line: 100, sessions: 2, steps: 5, items: 3 },
  { text: 120, line: 80, sessions: 1, steps: 3, items: 2 },
  { text: 60, line: 50, sessions: 1, steps: 1, items: 1 },
  { text: 0, line: 40, sessions: 0, steps: 0, items: 0 },
];

export function shrinkBrief({ session, features, open, sessions, since, guides }: Brief, level: Level): Brief {
  const { line, items } = level;
  const names = <T extends { readonly agent?: string | undefined; readonly goal?: string | undefined }>(value: T): T => ({
    ...value,
    ...(value.agent === undefined ? {} : { agent: cutAtSentence(value.agent, line) }),
    ...(value.goal === undefined ? {} : { goal: cutAtSentence(value.goal, line) }),
  });
  return {
    ...(session ? { session: names(session) } : {}),
    ...(features ? { features: shrinkFeatures(features, level) } : {}),
    ...(open && items > 0 ? { open: open.slice(-items).map(names) } : {}),
    ...(sessions && level.sessions > 0 ? { sessions: sessions.slice(0, level.sessions).map((each) => shrinkSession(names(each), level)) } : {}),
    ...(since ? { since: shrinkSince(since, level) } : {}),
    ...(guides && items > 0 ? { guides } : {}),
  };
}

function shrinkFeatures({ next, regressions, ...counts }: BriefFeatures, { line, text, steps, items }: Level): BriefFeatures {
  const lines = <T extends { readonly description: string; readonly notes: string }>(feature: T): T => ({
    ...feature,
    description: cutAtSentence(feature.description, line),
    notes: text === 0 ? '' : cutAtSentence(feature.notes, line),
  });
  return {
    ...counts,
    ...(next ? { next: { ...lines(next), steps: next.steps.slice(0, steps).map((step) => cutAtSentence(step, line)) } } : {}),
    ...(regressions && items > 0 ? { regressions: regressions.slice(0, items).map(lines) } : {}),
  };
}

function shrinkSession({ handoff, reason, progress, stat, ...facts }: BriefSession, { text, items }: Level): BriefSession {
  return {
    ...facts,
    ...(handoff === undefined ? {} : { handoff: cutAtSentence(handoff, text) }),
    ...(reason === undefined ? {} : { reason: cutAtSentence(reason, text) }),
    // What was said last matters most: of a session that handed over, the handoff.
    ...(progress === undefined || handoff !== undefined ? {} : { progress: cutAtSentence(progress, text) }),
    ...(stat ? { stat: { ...stat, files: stat.files.slice(0, items), passed: stat.passed.slice(0, items), regressed: stat.regressed.slice(0, items) } } : {}),
  };
}

function shrinkSince({ bySession, ...counts }: BriefSince, { items }: Level): BriefSince {
  return { ...counts, bySession: bySession.slice(0, items) };
}
