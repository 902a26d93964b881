/** The brief as a text for the first user message or the system prompt: the most needed first. Pure. */
import { displayPath } from '../vault/path.ts';
import type { Brief, BriefFeatures, BriefSession, BriefSince } from './brief-content.ts';
import { FEATURES, INIT, logPath, README } from './layout.ts';
import { statText } from './session-log.ts';

export function briefText({ session, features, open = [], sessions = [], since, guides = [] }: Brief): string {
  return [
    opening(session, features !== undefined, since !== undefined),
    ...featureParts(features, session, since !== undefined),
    ...open.map(({ number, agent, goal, started }) => `Session ${number} is open too${by(agent)}, since ${started}.${sentence('Its goal', goal)} Leave its work alone.`),
    ...sessions.map(sessionPart),
    ...(since ? [sincePart(since)] : []),
    ...guidePart(guides),
  ].join('\n\n');
}

function opening(session: Brief['session'], hasChecklist: boolean, hasSessions: boolean): string {
  if (session) return introduction(session, hasChecklist);
  if (hasSessions) return 'This memory holds work that goes on over many sessions.';
  return `No session has worked in this memory yet${hasChecklist ? '' : ', and there is no checklist'}.`;
}

function introduction({ number, isFirst, agent, goal }: NonNullable<Brief['session']>, hasChecklist: boolean): string {
  const who = `This is session ${number}${agent === undefined ? '' : ` (${agent})`}.${sentence('Its goal', goal)} Its log is ${displayPath(logPath(number))}.`;
  if (!isFirst || hasChecklist) return who;
  return `${who} There is no checklist yet: set up the work, write ${displayPath(INIT)}, and list every feature in ${displayPath(FEATURES)} before building anything.`;
}

function featureParts(features: BriefFeatures | undefined, session: Brief['session'], hasSessions: boolean): string[] {
  if (!features) return session?.isFirst === true || !hasSessions ? [] : [`There is no checklist: ${displayPath(FEATURES)} does not exist.`];
  const { total, passing, done, fault, next, regressions = [] } = features;
  if (fault !== undefined) return [`The checklist ${displayPath(FEATURES)} cannot be read: ${fault}. Mend it before anything else.`];
  if (done) return [`All ${total} features pass. Nothing is left to do: end the session.`];
  const broken = regressions.map(({ id, description, notes }) => `- ${id}: ${description}${notes === '' ? '' : ` (${notes})`}`);
  return [
    `${passing} of ${total} features pass.`,
    ...(broken.length > 0 ? [`These passed once and do not now:\n${broken.join('\n')}`] : []),
    ...(next ? [nextPart(next)] : []),
  ];
}

function nextPart({ id, description, steps, notes }: NonNullable<BriefFeatures['next']>): string {
  const listed = steps.map((step, index) => `\n${index + 1}. ${step}`).join('');
  return `The next feature is ${id}: ${description}${listed}${notes === '' ? '' : `\nNotes: ${notes}`}`;
}

function sessionPart({ number, agent, status, ended, stat, handoff, reason, progress, goal }: BriefSession): string {
  const passed = stat && stat.passed.length > 0 ? ` Passed: ${stat.passed.join(', ')}.` : '';
  const regressed = stat && stat.regressed.length > 0 ? ` Broken: ${stat.regressed.join(', ')}.` : '';
  const results = `${sentence('Its goal', goal)}${passed}${regressed}`;
  const said = handoff ?? progress;
  switch (status) {
    case 'interrupted': {
      const last = said === undefined ? '' : `\nThe last it wrote:\n${said}`;
      return `Session ${number} stopped without a handoff${by(agent)}: ${stat ? statText(stat) : 'unknown writes'}.${results} See what it left half done.${last}`;
    }
    case 'abandoned':
      return `Session ${number} was abandoned${by(agent)} at ${ended ?? 'an unknown time'}.${results}${reason === undefined ? '' : `\nWhy: ${reason}`}${said === undefined ? '' : `\nBefore that:\n${said}`}`;
    default:
      return `Session ${number} ended${by(agent)} at ${ended ?? 'an unknown time'}.${results}${said === undefined ? '' : `\nIts handoff:\n${said}`}`;
  }
}

function sincePart({ session, commits, complete, bySession }: BriefSince): string {
  const start = session === undefined ? 'So far' : `Since session ${session} ended`;
  if (commits === 0) return `${start} nothing was changed by others.`;
  const parts = bySession.map(({ number, commits: count }) => `${count} ${number === undefined ? 'outside any session' : `by session ${number}`}`);
  return `${start}: ${complete ? '' : 'more than '}${commits} ${commits === 1 ? 'commit' : 'commits'}${parts.length > 0 ? `, ${parts.join(', ')}` : ''}.`;
}

/** What explains the work: only files that are there, since a model would look for any that is named. */
function guidePart(guides: readonly string[]): string[] {
  const sentences = guides.map((path) => (path === displayPath(README) ? `How this works is in ${path}.` : `How to start the work is in ${path}.`));
  return sentences.length > 0 ? [sentences.join(' ')] : [];
}

function by(agent: string | undefined): string {
  return agent === undefined ? '' : ` (${agent})`;
}

function sentence(title: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : ` ${title}: ${text}${/[.!?…\]]$/.test(text) ? '' : '.'}`;
}
