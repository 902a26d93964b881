/** The address of each vault's backup, from the one template that a store keeps for all of them. Pure. */
import { MemgitError } from '../errors.ts';
import { parseRemoteUrl } from '../git/remote-url.ts';
import type { Remote } from '../git/remotes.ts';

/** The name of the remote that the template gives to every vault. */
export const BACKUP_REMOTE = 'backup';

const PLACE = '{vault}';

/** @throws INVALID_ARGUMENT unless `{vault}` stands in it once and the rest is the address of a remote, without a password */
export function checkBackupTemplate(template: string): void {
  if (template.split(PLACE).length !== 2) {
    throw new MemgitError('INVALID_ARGUMENT', 'expected an address with {vault} in it once, such as https://host/backup/{vault}.git, so that every vault has its own');
  }
  parseRemoteUrl(template.replace(PLACE, '0'.repeat(40)));
}

/** @param vaultId 40 hex digits, which tell the host nothing */
export function backupRemote(template: string, vaultId: string): Remote {
  checkBackupTemplate(template);
  return { name: BACKUP_REMOTE, url: template.replace(PLACE, vaultId) };
}
