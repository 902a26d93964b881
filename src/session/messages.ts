/**
 * Every sentence about sessions that Claude reads: the refusals, each with what may be done instead, and the files that
 * explain themselves. What they quote of Claude's own input is escaped, so that it can be sent again.
 */
import { displayPath } from '../vault/path.ts';
import type { ChecklistFault } from './checklist.ts';
import { FEATURES, INIT, logPath, README, TABLE } from './layout.ts';

/** What the progress rules answer to a change that they do not allow. */
export const refusals = {
  table: () =>
    `Error: ${displayPath(TABLE)} is kept by memgit and cannot be changed. Nothing was changed. Write what you did into the log of your own session`,
  notJson: (path: string, line: number | undefined) =>
    `Error: ${path} would not be valid JSON${line === undefined ? '' : ` (it breaks at line ${line})`}. Nothing was changed. View the file and send an edit after which it parses`,
  checklist: (fault: ChecklistFault) =>
    `Error: ${displayPath(FEATURES)} would not be a valid checklist: ${faultSentence(fault)}. Nothing was changed. It is a JSON list of features, each with the fields id, description, steps, passes, evidence and notes`,
  fixedList: (own: number | undefined) =>
    `Error: The features in ${displayPath(FEATURES)} are fixed: none can be added, removed, reordered or reworded. Nothing was changed. You may change passes, evidence and notes of a feature; put an idea for new work into ${ownLog(own)}`,
  otherList: (maker: number | undefined, own: number) =>
    `Error: The features in ${displayPath(FEATURES)} were listed by ${maker === undefined ? 'another session' : `session ${maker}`}, which was first: this session cannot replace, add, remove, reorder or reword them. Nothing was changed. You may change passes, evidence and notes of a feature; put an idea for new work into ${ownLog(own)}`,
  listGone: () =>
    `Error: ${displayPath(FEATURES)} is the checklist of the whole work and cannot be deleted, moved or replaced. Nothing was changed. You may change passes, evidence and notes of a feature`,
  noEvidence: (id: string) =>
    `Error: Feature ${quote(id)} cannot pass without evidence. Nothing was changed. Try the feature end to end first, write what you ran and saw into its evidence, and set passes to true in the same edit or after it`,
  finishedLog: (number: number, own: number | undefined) =>
    `Error: Session ${number} is over, so its log can only be added to at its end. Nothing was changed. Write into ${ownLog(own)}, or add lines at the end of ${displayPath(logPath(number))}`,
  openLog: (number: number) =>
    `Error: ${displayPath(logPath(number))} is the log of session ${number} and cannot be deleted or moved. Nothing was changed. You may edit its text`,
  newLog: (own: number | undefined) =>
    `Error: The log of a session is made when the session starts, and no other can be made. Nothing was changed. Write into ${ownLog(own)}`,
};

export const README_TEXT = `# The progress log

This directory lets work go on over many sessions. You may view and edit its files with the memory commands.

- ${displayPath(INIT)}: how the work is set up: the start-up script, where things are, how to test. The first session writes it;
  read it before anything else, and keep it true.
- ${displayPath(FEATURES)}: the checklist, a JSON list of features. Only the first session makes it. After that only \`passes\`,
  \`evidence\` and \`notes\` of a feature can be changed. \`passes\` may be set to true only with \`evidence\`: what you ran and saw,
  end to end. Setting it back to false is always right when something broke; say why in \`notes\`.
- log/: one file a session, named by its number. Write what you did, what is wrong, and what comes next. The log of a session
  that is over can only be added to.
- sessions.json: the table of all sessions. memgit keeps it.

How a session goes: read the brief, ${displayPath(INIT)} and the last log. See that what passed still works. Take one feature, the
first that does not pass. Finish it, try it end to end, set \`passes\` with its evidence. Write your log, with a section
"## Handoff" for whoever comes next. When every feature passes, stop: nothing is left to do.
`;

export function faultSentence(fault: ChecklistFault): string {
  switch (fault.kind) {
    case 'not-json':
      return `it is not valid JSON${fault.line === undefined ? '' : `, it breaks at line ${fault.line}`}`;
    case 'repeated-field':
      return `a field stands twice in the same object, at line ${fault.line}`;
    case 'not-a-list':
      return 'it is not a JSON list';
    case 'field':
      return `\`${fault.field}\` of feature ${fault.at} should be ${fault.wanted}`;
    case 'repeated-id':
      return `feature ${fault.at} repeats the id ${quote(fault.id)}`;
  }
}

function ownLog(number: number | undefined): string {
  return number === undefined ? `a file of your own beside ${displayPath(README)}` : `your own log ${displayPath(logPath(number))}`;
}

const QUOTE_CHARACTERS_MAX = 100;

function quote(text: string): string {
  const characters = [...text];
  return JSON.stringify(characters.length > QUOTE_CHARACTERS_MAX ? `${characters.slice(0, QUOTE_CHARACTERS_MAX).join('')}…` : text);
}
