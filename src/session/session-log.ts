/** The log of one session as Markdown: how it begins, the sections that are added to it, and how they are found again. Pure. */
import { oneLine } from './text.ts';
import type { SessionInfo, SessionStat } from './table.ts';

/** What a session tells of its work while it is going on. */
export interface ProgressEntry {
  readonly did: string | readonly string[];
  readonly issues?: string | readonly string[] | undefined;
  readonly next?: string | readonly string[] | undefined;
}

/** What the last sections of a log say; a model may have written them by hand. */
export interface LogDigest {
  readonly handoff?: string;
  readonly reason?: string;
  /** The last entry of the progress log. */
  readonly progress?: string;
}

const KINDS = ['Progress', 'Handoff', 'Abandoned', 'Interrupted', 'Reverted'] as const;
type Kind = (typeof KINDS)[number];
const HEADING = new RegExp(`^## (${KINDS.join('|')})\\b.*$`, 'gm');

export function openingOf({ number, agent, model, goal, started }: SessionInfo): string {
  const facts = [
    `Started: ${started}`,
    ...(agent === undefined ? [] : [`Agent: ${agent}`]),
    ...(model === undefined ? [] : [`Model: ${model}`]),
    ...(goal === undefined ? [] : [`Goal: ${goal}`]),
  ];
  return `# Session ${number}\n\n${facts.map((fact) => `- ${fact}\n`).join('')}`;
}

/** The log with one more section at its end. */
export function withSection(log: string, kind: Kind, time: string, text: string): string {
  return `${log}${log.endsWith('\n') || log === '' ? '' : '\n'}\n## ${kind} ${time}\n\n${text}\n`;
}

export function progressText({ did, issues, next }: ProgressEntry): string {
  return [...paragraph('Did', did), ...paragraph('Issues', issues), ...paragraph('Next', next)].join('\n\n');
}

/** "12 writes, the last at …; 3 files: a, b, c" */
export function statText({ writes, lastWrite, files, fileCount }: SessionStat, shown = files.length): string {
  const count = `${writes} ${writes === 1 ? 'write' : 'writes'}${lastWrite === undefined ? '' : `, last at ${lastWrite}`}`;
  if (fileCount === 0 || shown === 0) return count;
  const names = files.slice(0, shown).map(({ path }) => oneLine(path));
  const more = fileCount - names.length;
  return `${count}, in ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function digestOf(log: string): LogDigest {
  const handoff = lastSection(log, 'Handoff');
  const reason = lastSection(log, 'Abandoned');
  const progress = lastSection(log, 'Progress');
  return {
    ...(handoff === undefined ? {} : { handoff }),
    ...(reason === undefined ? {} : { reason }),
    ...(progress === undefined ? {} : { progress }),
  };
}

function lastSection(log: string, kind: Kind): string | undefined {
  const headings = [...log.matchAll(HEADING)];
  const index = headings.findLastIndex(([, found]) => found === kind);
  const heading = headings[index];
  if (!heading) return undefined;
  const text = log.slice(heading.index + heading[0].length, headings[index + 1]?.index).trim();
  return text === '' ? undefined : text;
}

function paragraph(title: string, value: string | readonly string[] | undefined): string[] {
  const items = (typeof value === 'string' ? [value] : (value ?? [])).map((item) => item.trim()).filter((item) => item !== '');
  if (items.length === 0) return [];
  return items.length === 1 ? [`${title}: ${items[0]!}`] : [`${title}:\n${items.map((item) => `- ${item}`).join('\n')}`];
}
