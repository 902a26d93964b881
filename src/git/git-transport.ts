/**
 * Talks to a remote through the git that is installed, over every protocol that git has and memgit allows. Everything is
 * named in full (address, refspecs, lease), so that no configuration decides what moves where.
 */
import { MemgitError } from '../errors.ts';
import { describeGitFailure, isMissingRef } from './git-failure.ts';
import { MAIN } from './layout.ts';
import { parseOid, type Oid } from './objects.ts';
import { readProgress } from './progress.ts';
import type { Quarantine } from './quarantine.ts';
import { isHttp, type RemoteUrl } from './remote-url.ts';
import { retrying } from './retry.ts';
import { runGit, type GitResult } from './system-git.ts';
import type { Push, Transport, TransportOptions } from './transport.ts';

const DEFAULT_SILENCE_MS = 120_000;
/** Where git leaves the remote's branch: in the quarantine, which goes away. */
const INCOMING = 'refs/memgit/incoming/main';

/** A credential helper (gitcredentials(7)): git runs it, and it prints what it finds in its environment. */
const HELPER = '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$MEMGIT_HELPER_USERNAME" "$MEMGIT_HELPER_TOKEN"; }; f';

/** Ciphertext has no deltas worth looking for, and looking takes most of the time of a push. */
const PUSH_SETTINGS = ['-c', 'pack.window=0', '-c', 'push.recurseSubmodules=no', '-c', 'push.followTags=false'];
/**
 * A remote on this machine is another repository with this git at both ends, and git does not hand on to the other end what it
 * was told here. Whoever wrote that repository, on a disk that came from elsewhere, must not have his programs run. What it takes
 * is to be on the disk when it says that it has it, as with a repository of memgit's own.
 */
const RECEIVE_PACK = [
  'git',
  ...[
    ...['core.hooksPath=/dev/null', 'core.alternateRefsCommand=true', 'receive.autogc=false', 'receive.denyCurrentBranch=refuse'],
    ...['receive.unpackLimit=1', 'core.fsync=pack,pack-metadata,reference', 'core.fsyncMethod=fsync'],
  ].flatMap((setting) => ['-c', setting]),
  'receive-pack',
].join(' ');
/** Large blobs are written as they come in, not gathered in memory first. */
const FETCH_SETTINGS = ['-c', 'core.bigFileThreshold=16m', '-c', 'fetch.recurseSubmodules=no'];

export class GitTransport implements Transport {
  readonly #git: string;
  readonly #remote: RemoteUrl;
  readonly #options: TransportOptions;

  constructor(git: string, remote: RemoteUrl, options: TransportOptions) {
    this.#git = git;
    this.#remote = remote;
    this.#options = options;
  }

  async readHead(): Promise<Oid | undefined> {
    const { stdout } = await this.#succeed(['ls-remote', '--refs', '--', this.#remote.url, MAIN]);
    const line = stdout.split('\n').find((text) => text.endsWith(`\t${MAIN}`));
    if (line === undefined) {
      await this.#assertGitServer();
      return undefined;
    }
    const oid = parseOid(line.slice(0, line.indexOf('\t')));
    if (oid === undefined) throw new MemgitError('REMOTE_UNREACHABLE', 'expected the oid of the remote\'s branch, got something else; is it a SHA-1 repository?');
    return oid;
  }

  async fetch(into: Quarantine, haves: readonly Oid[]): Promise<Oid | undefined> {
    await into.nameKnown(haves);
    const { onProgress } = this.#options;
    const args = [
      ...FETCH_SETTINGS, `--git-dir=${into.gitdir}`, 'fetch', '--progress', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules',
      '--refmap=', '--', this.#remote.url, `+${MAIN}:${INCOMING}`,
    ];
    const onTalk = (text: string): void => {
      into.checkSize();
      const progress = onProgress && readProgress(text);
      if (progress) onProgress(progress);
    };
    const result = await this.#attempt(args, onTalk);
    if (result.code !== 0 && isMissingRef(result.stderr)) {
      await this.#assertGitServer();
      return undefined;
    }
    if (result.code !== 0) throw describeGitFailure(result);
    await into.rescan();
    const head = await into.readRef(INCOMING);
    if (head === undefined) throw new MemgitError('CORRUPT', 'expected the whole history from the remote, got one that is cut off (shallow); nothing was taken in');
    return head;
  }

  async push({ repository, from, to, objects }: Push): Promise<'pushed' | 'moved'> {
    const { onProgress } = this.#options;
    // git gathers the same objects by itself; here they only have to pass.
    const checked = objects()[Symbol.asyncIterator]();
    while ((await checked.next()).done !== true);
    const args = [
      ...PUSH_SETTINGS, `--git-dir=${repository.gitdir}`, 'push', '--porcelain', '--progress', '--no-verify', '--no-signed', '--no-follow-tags',
      `--force-with-lease=${MAIN}:${from ?? ''}`, ...(this.#remote.protocol === 'file' ? [`--receive-pack=${RECEIVE_PACK}`] : []), '--', this.#remote.url, `${to}:${MAIN}`,
    ];
    const onTalk = (text: string): void => {
      const progress = onProgress && readProgress(text);
      if (progress) onProgress(progress);
    };
    const result = await this.#attempt(args, onTalk);
    if (result.code === 0) return 'pushed';
    if (/^!\t.*\[(?:rejected|remote rejected)\] \((?:stale info|non-fast-forward|fetch first|failed to (?:update ref|lock)|incorrect old value provided|cannot lock ref.*)\)$/m.test(result.stdout)) return 'moved';
    throw describeGitFailure(result);
  }

  /**
   * A web server that knows nothing of git looks to git like a repository without branches: what it answers is taken for a list
   * of files (gitprotocol-http(5), "dumb"). Only a server that speaks git's packets is believed to have nothing.
   */
  async #assertGitServer(): Promise<void> {
    if (!isHttp(this.#remote)) return;
    const { stderr } = await this.#succeed(['ls-remote', '--refs', '--', this.#remote.url, MAIN], { GIT_TRACE_PACKET: '1' });
    if (!/ packet: .*< /.test(stderr)) throw describeGitFailure({ code: 0, stdout: '', stderr: '' });
  }

  async #succeed(args: readonly string[], extra: Readonly<Record<string, string>> = {}): Promise<GitResult> {
    const result = await this.#attempt(args, undefined, extra);
    if (result.code !== 0) throw describeGitFailure(result);
    return result;
  }

  /** Runs git, again when the failure may pass. A result with another failure is returned, for the caller to judge. */
  async #attempt(args: readonly string[], onTalk?: (text: string) => void, extra: Readonly<Record<string, string>> = {}): Promise<GitResult> {
    const { retries, signal, timeoutMs, interactive } = this.#options;
    const { settings, env } = this.#access();
    return retrying(
      { retries, signal },
      async () => runGit(this.#git, {
        args: [...settings, ...args],
        env: { ...env, ...extra },
        silenceMs: timeoutMs ?? DEFAULT_SILENCE_MS,
        signal,
        ...(interactive === undefined ? {} : { interactive }),
        ...(onTalk === undefined ? {} : { onTalk }),
      }),
      (result) => result.code !== 0 && describeGitFailure(result).details['passing'] === true,
    );
  }

  /** What git needs to get through: names of files and addresses as settings, secrets in its environment. */
  #access(): { settings: string[]; env: Record<string, string> } {
    const { token, username, caFile, proxy } = this.#options;
    const settings = caFile === undefined ? [] : ['-c', `http.sslCAInfo=${caFile}`];
    // The address of a proxy may hold a password.
    const env: Record<string, string> = proxy === undefined ? {} : { http_proxy: proxy, https_proxy: proxy };
    if (token === undefined || !isHttp(this.#remote)) return { settings, env };
    const { origin, username: named } = new URL(this.#remote.url);
    // Only for this origin: where a redirect leads must not get the token.
    settings.push('-c', 'credential.helper=', '-c', `credential.${origin}.helper=`, '-c', `credential.${origin}.helper=${HELPER}`);
    return { settings, env: { ...env, MEMGIT_HELPER_USERNAME: username ?? (decodeURIComponent(named) || 'memgit'), MEMGIT_HELPER_TOKEN: token } };
  }
}
