/** An ssh server on the loopback that lets one key in, to git-shell's commands only, and a client configuration that reaches it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import { answers, freePort, PROGRAMS, Running } from './programs.ts';

export interface SshServer {
  /** A home folder whose git configuration names the key and the known host. */
  readonly home: string;
  url(path: string): string;
  stop(): Promise<void>;
}

export async function startSshServer(folder: string): Promise<SshServer> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const port = await freePort();
  const file = (name: string): string => join(folder, name);
  for (const name of ['host', 'client']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)]);
  // The forced command leaves nothing but what git-shell allows.
  writeFileSync(file('authorized'), `restrict,command="${PROGRAMS['git-shell']} -c \\"$SSH_ORIGINAL_COMMAND\\"" ${readFileSync(file('client.pub'), 'utf8')}`, { mode: 0o600 });
  writeFileSync(
    file('sshd_config'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${file('host')}\nAuthorizedKeysFile ${file('authorized')}\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n`,
  );
  writeFileSync(file('known_hosts'), `[127.0.0.1]:${port} ${readFileSync(file('host.pub'), 'utf8')}`);
  writeFileSync(file('ssh_config'), `Host *\n  IdentityFile ${file('client')}\n  IdentitiesOnly yes\n  UserKnownHostsFile ${file('known_hosts')}\n  StrictHostKeyChecking yes\n`);
  writeFileSync(file('.gitconfig'), `[core]\n\tsshCommand = ssh -F ${file('ssh_config')}\n`);
  // The folder that sshd wants for its unprivileged part is made by Debian's service file, which does not run here.
  mkdirSync('/run/sshd', { recursive: true });
  const sshd = new Running(PROGRAMS.sshd, ['-D', '-e', '-f', file('sshd_config')]);
  await sshd.ready(() => answers(port));
  return { home: folder, url: (path) => `ssh://${userInfo().username}@127.0.0.1:${port}${path}`, stop: async () => sshd.stop() };
}
