/** `memgit status`: how a vault is doing. */
import type { RemoteStanding } from '../../sync/standing.ts';
import type { VaultStatus } from '../../vault-sync.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { OK, OPENING } from '../exits.ts';
import { formatBytes, plural, shortOid } from '../format.ts';
import { withVault } from '../open.ts';
import { commitLine } from '../print-commit.ts';
import { array, integer, object, oneObject, string } from '../shape.ts';
import { COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS } from '../shapes.ts';
import { visibleLine } from '../visible.ts';

export const status = defineCommand({
  name: 'status',
  group: 'Check',
  summary: 'Show how a memory is doing',
  details: 'Its newest commit, its sizes, its keyring, how far its backups have it, and warnings with what to do about them. No remote is asked: they stand as they were last seen, by push, fetch or pull. Whether every entry is sound only `memgit verify` tells. What it finds of paths and sizes is kept beside the repository, sealed, to answer sooner the next time.',
  args: {},
  options: {},
  json: oneObject({
    userId: string('User id, as it was given when the vault was made'),
    repositoryId: string('Identity of the repository: 64 hex digits that never change'),
    head: object('The newest commit', COMMIT_FIELDS, COMMIT_OPTIONAL_FIELDS),
    files: integer('Files in the memory'),
    emptyDirectories: integer('Empty directories in it'),
    commits: integer('Commits up to the newest, the first one included'),
    plainBytes: integer('Bytes of all files as they are now'),
    diskBytes: integer('Bytes of the repository on the disk'),
    packs: integer('Packs in the repository'),
    looseObjects: integer('Objects outside packs'),
    keyring: object('The keys of the vault', {
      role: string('What the key that was used may do', 'writer', 'reader'),
      counter: integer('How often the keyring was changed'),
      epoch: integer('Newest generation of keys'),
      slots: array('Ways in', object('One of them', { id: string('Its id'), kind: string('Its kind') })),
    }),
    remotes: array('Backups, as they were last seen', object('One of them', {
      name: string('Name of the remote'),
      url: string('Its address'),
      ahead: integer('Commits that a push would send'),
      behind: integer('Commits that a pull would take in'),
    }, {
      seen: object('What it was at; absent when nothing was pushed to it or seen there', {
        oid: string('Oid of the commit'),
        time: string('Exact time of that commit, ISO 8601 in UTC'),
        timeMs: integer('The same in milliseconds since 1970'),
      }),
    })),
    warnings: array('What somebody should look at', object('One of them', { code: string('Which one it is'), message: string('What it is and what to do') })),
  }),
  examples: [['memgit status', 'how the memory is doing'], ['memgit status --json', 'the same for a monitor']],
  exits: OPENING,
  run: async (context) =>
    withVault(context, async (vault) => {
      const found = await vault.status();
      if (context.json) await context.out.json(found);
      else await printStatus(context, found);
      return OK;
    }, { keepIndex: true }),
});

async function printStatus(context: Context, found: VaultStatus): Promise<void> {
  const { keyring } = found;
  const rows: [label: string, value: string][] = [
    ['user', visibleLine(found.userId)],
    ['head', commitLine(found.head, context)],
    ['memory', `${plural(found.files, 'file')}, ${plural(found.emptyDirectories, 'empty directory', 'empty directories')}, ${formatBytes(found.plainBytes)}`],
    ['history', plural(found.commits, 'commit')],
    ['on disk', `${formatBytes(found.diskBytes)} in ${plural(found.packs, 'pack')} and ${plural(found.looseObjects, 'loose object')}`],
    ['keyring', `epoch ${keyring.epoch}, ${plural(keyring.slots.length, 'slot')} (${keyring.slots.map(({ kind }) => visibleLine(kind)).join(', ')}), opened as ${keyring.role}`],
    ['identity', found.repositoryId],
    ...found.remotes.map((remote): [string, string] => ['remote', `${remote.name}: ${standing(remote, context)}`]),
  ];
  for (const [label, value] of rows) await context.out.line(`${context.out.style.faint(label.padEnd(9))} ${value}`);
  for (const { message } of found.warnings) context.warn(message);
}

function standing({ seen, ahead, behind }: RemoteStanding, context: Context): string {
  if (seen === undefined) return 'nothing pushed yet';
  if (ahead + behind === 0) return 'up to date';
  const todo = [...(ahead > 0 ? [`${plural(ahead, 'commit')} to push`] : []), ...(behind > 0 ? [`${plural(behind, 'commit')} to pull`] : [])];
  return `${todo.join(', ')}; last seen at ${shortOid(seen.oid)} of ${context.time(seen.timeMs)}`;
}
