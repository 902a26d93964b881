/** Of a revision that is unknown or ambiguous: tells which commits it could be, and what to type for each. */
import { isMemgitError } from '../errors.ts';
import type { LogEntry } from '../history/log-entry.ts';
import type { Vault } from '../vault.ts';
import type { Context } from './context.ts';
import { HintedError } from './failure.ts';
import { shortOid } from './format.ts';
import { commitSummary } from './print-commit.ts';
import { visibleLine } from './visible.ts';

/** Runs `use`, and explains a BAD_REVISION while the vault is still open. */
export async function namingCandidates<T>(context: Context, vault: Vault, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!isMemgitError(error, 'BAD_REVISION')) throw error;
    const { candidates } = error.details;
    if (!Array.isArray(candidates) || candidates.length === 0) throw error;
    const lines: string[] = [];
    for (const oid of candidates) for await (const entry of vault.log({ revision: String(oid), limit: 1 })) lines.push(`  ${candidateLine(entry, context)}`);
    throw new HintedError(error, ['it could be', ...lines].join('\n'));
  }
}

/** Without colours: they are decided by stdout, and this goes to stderr. */
function candidateLine(entry: LogEntry, context: Context): string {
  const { oid, session, toolUseId } = entry;
  const names = [...(toolUseId === undefined ? [] : [`tool-use:${toolUseId}`]), ...(session === undefined ? [] : [`session:${session}`])];
  return [shortOid(oid), commitSummary(entry, context), ...names.map(visibleLine)].join(' ');
}
