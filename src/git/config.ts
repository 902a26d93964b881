/**
 * The configuration of a repository: what memgit writes, and a reader that only says yes or no. A git config can run programs
 * and redirect reads, so any key outside a short list is refused, and so is any spelling that would need interpreting
 * (includes, quotes, escapes, continuation lines, comments behind a value). Pure; nothing is taken from the values.
 */
import { MemgitError } from '../errors.ts';

/** git's own automatic maintenance stays off: it would not take memgit's lock. */
export const CONFIG_TEXT = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[gc]
\tauto = 0
[maintenance]
\tauto = false
`;

const BOOLEAN = /^(?:true|false)$/;

/** Keys in lower case, the part of a section in quotes left out, with the values they may have. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  'core.repositoryformatversion': /^0$/,
  'core.bare': /^true$/,
  'core.filemode': BOOLEAN,
  'core.ignorecase': BOOLEAN,
  'core.precomposeunicode': BOOLEAN,
  'core.logallrefupdates': /^(?:true|false|always)$/,
  'gc.auto': /^[0-9]{1,9}$/,
  'maintenance.auto': BOOLEAN,
  // Schemes by name, host:path as scp writes it, or an absolute path; so no `ext::` or other remote helper, which is a program.
  'remote.*.url': /^(?:(?:https?|ssh|file):\/\/(?!-|\S*@-)\S+|(?:[A-Za-z0-9][\w.-]*@)?[A-Za-z0-9][\w.-]*:(?!:|-|\/\/)\S+|\/.*)$/,
  'remote.*.fetch': /^\+?refs\/[\w./*-]+:refs\/[\w./*-]+$/,
  'remote.*.mirror': BOOLEAN,
};

const SECTION = /^\[([A-Za-z0-9-]+)(?: "([A-Za-z0-9][\w.-]*)")?\]$/;
const SETTING = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([ !$-:<-[\]-~]*)$/;

/** Tells whether an address may stand in a configuration: one that git takes for a place and never for a program or an option. */
export function isRemoteUrl(text: string): boolean {
  return ALLOWED['remote.*.url']!.test(text) && /^[!$-:<-[\]-~]+$/.test(text);
}

/** @throws UNSUPPORTED_REPOSITORY naming the line (never its value, which may hold credentials) that is not on the list */
export function checkConfig(text: string): void {
  let section: string | undefined;
  const seen = new Set<string>();
  for (const [i, raw] of text.split('\n').entries()) {
    const line = raw.replace(/^[ \t]+|[ \t]+$/g, '');
    if (line === '' || /^[#;][ -~\t]*$/.test(line)) continue;
    const [header, name, subsection] = SECTION.exec(line) ?? [];
    if (header !== undefined && name !== undefined) {
      section = name.toLowerCase() + (subsection === undefined ? '' : '.*');
      continue;
    }
    const [, variable, value] = SETTING.exec(line) ?? [];
    if (section === undefined || variable === undefined || value === undefined) {
      throw refused(`line ${i + 1} is not a plain section or "key = value"`, i + 1);
    }
    const key = `${section}.${variable.toLowerCase()}`;
    const allowed = Object.hasOwn(ALLOWED, key) ? ALLOWED[key] : undefined;
    if (allowed === undefined) throw refused(`line ${i + 1} sets ${key}, which is not on memgit's list`, i + 1);
    if (!allowed.test(value)) throw refused(`line ${i + 1} sets ${key} to a value that memgit does not allow`, i + 1);
    seen.add(key);
  }
  if (!seen.has('core.bare')) throw refused('core.bare is not set, so it is not a bare repository', 0);
}

function refused(reason: string, line: number): MemgitError {
  return new MemgitError('UNSUPPORTED_REPOSITORY', `expected a configuration that memgit can trust, but ${reason}; remove it by hand if it is yours`, {
    details: { line },
  });
}
