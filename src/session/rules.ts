/**
 * The rules of the progress log, as a policy: the checklist is fixed once the initializer is done, a feature passes only with
 * evidence, the log of a session that is over only grows, and JSON parses. They hold from the first session of a vault on;
 * before it only JSON and the table are guarded.
 */
import { equalBytes, utf8Decode } from '../bytes.ts';
import { displayPath, isWithin, parsePath } from '../vault/path.ts';
import { isChecklist, isSameList, parseChecklist, parseJson, passedWithoutEvidence, type Checklist } from './checklist.ts';
import { FEATURES, logNumberOf, PROGRESS, TABLE } from './layout.ts';
import { refusals } from './messages.ts';
import type { Policy, Proposal, ProposedChange } from './proposal.ts';
import { decodeTable, isOver, type SessionRow } from './table.ts';

/** What memgit itself writes of a session; it keeps the table and the logs by its own construction. */
const OWN_OPS = new Set(['session_start', 'session_end', 'session_abandon', 'progress_append']);

interface Writer {
  /** `undefined` while the vault never had a session. */
  readonly rows: readonly SessionRow[] | undefined;
  /** The session that writes. */
  readonly own: SessionRow | undefined;
}

/** The policy `'enforce'`. A policy of one's own may begin by asking this one. */
export const progressRules: Policy = async (proposal) => {
  if (!proposal.touches(displayPath(PROGRESS)) || OWN_OPS.has(proposal.op)) return undefined;
  const rows = readRows(await proposal.readText(displayPath(TABLE)));
  const writer = { rows, own: rows?.find(({ id }) => id === proposal.session) };
  for (const change of await proposal.changes()) {
    const refusal = await judge(change, writer, proposal);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
};

async function judge(change: ProposedChange, writer: Writer, proposal: Proposal): Promise<string | undefined> {
  const path = parsePath(change.path);
  if (path === TABLE) return refusals.table();
  if (path === FEATURES && writer.rows) return judgeChecklist(change, writer, proposal);
  const number = logNumberOf(path);
  if (number !== undefined && writer.rows) return judgeLog(change, number, writer);
  return isWithin(path, PROGRESS) && /\.json$/i.test(path) ? judgeJson(change) : undefined;
}

function judgeJson({ path, after }: ProposedChange): string | undefined {
  if (after === undefined) return undefined;
  const text = utf8Decode(after);
  const json = text === undefined ? { kind: 'not-json' as const, line: undefined } : parseJson(text);
  return 'kind' in json ? refusals.notJson(path, json.line) : undefined;
}

async function judgeChecklist({ path, before, after }: ProposedChange, writer: Writer, proposal: Proposal): Promise<string | undefined> {
  const earlier = parseChecklist(before === undefined ? '[]' : (utf8Decode(before) ?? ''));
  // A list that cannot be read binds nobody: whoever makes it readable again helps.
  const old = isChecklist(earlier) ? earlier : [];
  const later = after && parseChecklist(utf8Decode(after) ?? '');
  if (later && !isChecklist(later)) return later.kind === 'not-json' ? refusals.notJson(path, later.line) : refusals.checklist(later);
  const rewritten = old.length > 0 && !(later && isSameList(old, later));
  const refusal = rewritten ? await judgeRewriting(later, writer, proposal) : undefined;
  const unproven = later && passedWithoutEvidence(old, later);
  return refusal ?? (unproven && refusals.noEvidence(unproven.id));
}

/** The list is the initializer's that made it, until that session is over. Of several at once the first to make one wins. */
async function judgeRewriting(later: Checklist | undefined, { rows, own }: Writer, proposal: Proposal): Promise<string | undefined> {
  if (own?.isFirst !== true || isOver(own)) return later ? refusals.fixedList(own?.number) : refusals.listGone();
  const maker = await proposal.checklistMaker();
  return maker === undefined || maker === own.id ? undefined : refusals.otherList(rows?.find(({ id }) => id === maker)?.number, own.number);
}

function judgeLog({ before, after }: ProposedChange, number: number, { rows, own }: Writer): string | undefined {
  const session = rows?.find((row) => row.number === number);
  if (!session) return before === undefined ? refusals.newLog(own?.number) : undefined;
  const open = session.status === 'open' || (session === own && !isOver(session));
  if (open) return after === undefined ? refusals.openLog(number) : undefined;
  const grows = before === undefined || (after !== undefined && after.length >= before.length && equalBytes(after.subarray(0, before.length), before));
  return grows ? undefined : refusals.finishedLog(number, own?.number);
}

/** A table that cannot be read says nothing of anyone, but the vault did have sessions. */
function readRows(text: string | undefined): readonly SessionRow[] | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeTable(text);
  } catch {
    return [];
  }
}
