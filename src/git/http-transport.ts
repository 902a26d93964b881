/**
 * git's smart HTTP protocol (gitprotocol-http(5)) for machines without git. isomorphic-git finds out what the remote has; the
 * two exchanges that move objects are made here, because isomorphic-git unpacks what it receives without a bound, moves refs
 * before it has the objects, and walks the whole history to push one commit (docs/DECISIONS.md).
 */
import { readFile } from 'node:fs/promises';
import { concatAll, type Bytes } from '../bytes.ts';
import { MemgitError } from '../errors.ts';
import { sendRequest, type HttpOptions, type HttpRequest, type HttpResponse } from './http.ts';
import { MAIN } from './layout.ts';
import { parseOid, type GitObject, type Oid } from './objects.ts';
import { receivePack } from './pack-receive.ts';
import { assemblePack, encodePackEntry, type PackEntry } from './pack-write.ts';
import { FLUSH, packet, PacketReader } from './pkt-line.ts';
import type { Quarantine } from './quarantine.ts';
import type { RemoteUrl } from './remote-url.ts';
import { retrying } from './retry.ts';
import type { Push, Transport, TransportOptions } from './transport.ts';

const DEFAULT_SILENCE_MS = 120_000;
/** A pack is held in memory here, so that it can be checked as it is taken apart. */
const MAX_PACK_BYTES = 1024 ** 3;
/** A vault's repository has one branch; what else a host keeps of it (pull requests, say) is a line each. */
const MAX_TALK_BYTES = 16 * 1024 ** 2;
const PIECES_AT_ONCE = 1024;
const NO_OID = '0'.repeat(40);
const AGENT = 'agent=memgit';

type Service = 'git-upload-pack' | 'git-receive-pack';

export class HttpTransport implements Transport {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: TransportOptions;
  #http: Promise<HttpOptions> | undefined;

  constructor({ url }: RemoteUrl, options: TransportOptions) {
    const parsed = new URL(url);
    const { token, username = decodeURIComponent(parsed.username) || 'memgit' } = options;
    parsed.username = '';
    this.#url = parsed.href.replace(/\/+$/, '');
    this.#headers = token === undefined ? {} : { authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` };
    this.#options = options;
  }

  async readHead(): Promise<Oid | undefined> {
    return (await this.#discover('git-upload-pack')).head;
  }

  async fetch(into: Quarantine, haves: readonly Oid[], check: (object: GitObject) => void): Promise<Oid | undefined> {
    const { retries, signal } = this.#options;
    const outcome = await retrying({ retries, signal }, () => orPassing(async () => this.#fetchOnce(into, haves, check)), ({ passing }) => passing !== undefined);
    if (outcome.passing) throw outcome.passing;
    return outcome.value;
  }

  async push({ repository, from, to, objects }: Push): Promise<'pushed' | 'moved'> {
    const { head, capabilities } = await this.#discover('git-receive-pack');
    if (head === to) return 'pushed';
    if (head !== from) return 'moved';
    if (!capabilities.has('report-status')) throw new MemgitError('REMOTE_UNREACHABLE', 'expected a remote that reports what became of a push, got one that does not');
    const entries: PackEntry[] = [];
    for await (const oid of objects()) entries.push(await encodePackEntry(await repository.read(oid)));
    this.#options.onProgress?.({ phase: 'writing objects', done: entries.length, total: entries.length });
    const command = packet(`${from ?? NO_OID} ${to} ${MAIN}\0 report-status ${AGENT}`);
    const response = await this.#post('git-receive-pack', [command, FLUSH, assemblePack(entries).pack], MAX_TALK_BYTES);
    return await readReport(new PacketReader(response.body)).finally(response.close);
  }

  async #fetchOnce(into: Quarantine, haves: readonly Oid[], check: (object: GitObject) => void): Promise<Oid | undefined> {
    const { head } = await this.#discoverOnce('git-upload-pack');
    if (head === undefined || haves.includes(head)) return head;
    const wants = [packet(`want ${head} side-band-64k ofs-delta ${AGENT}\n`), FLUSH];
    const response = await this.#post('git-upload-pack', [...wants, ...haves.map((oid) => packet(`have ${oid}\n`)), packet('done\n')], MAX_PACK_BYTES + MAX_TALK_BYTES);
    const bytes = await this.#readPack(new PacketReader(response.body)).finally(response.close);
    const pack = await receivePack(bytes, check, this.#options.signal);
    if (pack) await into.addPack(pack);
    return head;
  }

  /** The answer begins with lines that say which of our commits the remote has too; then comes the pack in pieces (band 1). */
  async #readPack(packets: PacketReader): Promise<Bytes> {
    let piece = await packets.next();
    while (piece !== 'flush' && /^(?:NAK|ACK [0-9a-f]{40})\n?$/.test(text(piece))) piece = await packets.next();
    const blocks: Bytes[] = [];
    const pieces: Bytes[] = [];
    let size = 0;
    for (; piece !== 'flush'; piece = await packets.next()) {
      if (piece[0] === 3) throw new MemgitError('REMOTE_UNREACHABLE', 'the remote gave up in the middle with an error of its own; try again later', { details: { passing: true } });
      if (piece[0] === 2) continue;
      if (piece[0] !== 1) throw foreignAnswer();
      size += piece.length;
      if (size > MAX_PACK_BYTES) throw new MemgitError('TOO_LARGE', `expected a pack of at most ${MAX_PACK_BYTES} bytes, got more; install git to fetch it`, { details: { limit: MAX_PACK_BYTES } });
      pieces.push(piece.subarray(1));
      // A piece may be of one byte or none, which takes a hundred times as much room by itself.
      if (pieces.length === PIECES_AT_ONCE) blocks.push(concatAll(pieces.splice(0)));
      this.#options.onProgress?.({ phase: 'receiving bytes', done: size, total: undefined });
    }
    return concatAll([...blocks, ...pieces]);
  }

  async #discover(service: Service): Promise<{ head: Oid | undefined; capabilities: ReadonlySet<string> }> {
    const { retries, signal } = this.#options;
    const outcome = await retrying({ retries, signal }, () => orPassing(async () => this.#discoverOnce(service)), ({ passing }) => passing !== undefined);
    if (outcome.passing) throw outcome.passing;
    return outcome.value;
  }

  async #discoverOnce(service: Service): Promise<{ head: Oid | undefined; capabilities: ReadonlySet<string> }> {
    const { getRemoteInfo2 } = await import('isomorphic-git');
    let failure: MemgitError | undefined;
    let fail: (error: MemgitError) => void;
    // isomorphic-git takes a body that breaks off for one that ends, or waits for the rest of it.
    const failed = new Promise<never>((_, reject) => (fail = reject));
    failed.catch(() => undefined);
    const note = (error: unknown): never => {
      failure = error as MemgitError;
      fail(failure);
      throw failure;
    };
    let response: HttpResponse | undefined;
    const http = {
      request: async ({ url, headers = {} }: { url: string; headers?: Record<string, string> | undefined }) => {
        response = await this.#send({ url, method: 'GET', headers, maxBytes: MAX_TALK_BYTES }).catch(note);
        return { url, method: 'GET', statusCode: 200, statusMessage: '', ...response, body: noting(wholeList(response.body), note) };
      },
    };
    try {
      const asked = getRemoteInfo2({ http, url: this.#url, headers: { ...this.#headers }, forPush: service === 'git-receive-pack', protocolVersion: 1 });
      const info = await Promise.race([asked, failed]);
      if (failure !== undefined) note(failure);
      const refs = 'refs' in info ? (info.refs ?? []) : [];
      const found = refs.find(({ ref }) => ref === MAIN);
      const head = found && parseOid(found.oid);
      if (found && head === undefined) throw foreignAnswer();
      return { head, capabilities: new Set(Object.keys(info.capabilities)) };
    } catch (error) {
      throw failure ?? (error instanceof MemgitError ? error : foreignAnswer(error));
    } finally {
      response?.close();
    }
  }

  async #post(service: Service, body: readonly Bytes[], maxBytes: number): Promise<HttpResponse> {
    const headers = {
      ...this.#headers,
      'content-type': `application/x-${service}-request`,
      accept: `application/x-${service}-result`,
    };
    return this.#send({ url: `${this.#url}/${service}`, method: 'POST', headers, body, maxBytes });
  }

  async #send(request: HttpRequest): Promise<HttpResponse> {
    this.#http ??= this.#readOptions();
    return sendRequest({ ...request, headers: { ...request.headers, 'user-agent': 'memgit' } }, await this.#http);
  }

  async #readOptions(): Promise<HttpOptions> {
    const { caFile, proxy, timeoutMs, signal } = this.#options;
    const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
    return { ca, proxy, signal, silenceMs: timeoutMs ?? DEFAULT_SILENCE_MS };
  }
}

/**
 * A list of branches, which ends in a flush, as the service's name before it does. isomorphic-git takes whatever else it comes upon for the
 * end of the list, and a list that was cut off for a remote that has nothing.
 *
 * @throws REMOTE_UNREACHABLE
 */
async function* wholeList(body: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  const packets = new PacketReader(body);
  for (let sections = 0; sections < 2; ) {
    const content = await packets.next();
    if (content === 'flush') sections += 1;
    yield content === 'flush' ? FLUSH : packet(content);
  }
}

async function* noting(body: AsyncIterable<Bytes>, note: (error: unknown) => never): AsyncGenerator<Bytes> {
  try {
    yield* body;
  } catch (error) {
    note(error);
  }
}

/** Keeps a failure that may pass from ending the attempts. */
async function orPassing<T>(action: () => Promise<T>): Promise<{ value: T; passing?: undefined } | { passing: MemgitError }> {
  try {
    return { value: await action() };
  } catch (error) {
    if (error instanceof MemgitError && error.details['passing'] === true) return { passing: error };
    throw error;
  }
}

/** `unpack ok`, then one line for each ref: `ok <ref>` or `ng <ref> <reason>` (gitprotocol-pack(5)). */
async function readReport(packets: PacketReader): Promise<'pushed' | 'moved'> {
  const lines: string[] = [];
  for (let line = await packets.next(); line !== 'flush'; line = await packets.next()) lines.push(text(line).trimEnd());
  if (lines[0] === 'unpack ok' && lines[1] === `ok ${MAIN}`) return 'pushed';
  if (/^ng \S+ (?:failed to (?:update ref|lock)|incorrect old value|non-fast-forward|fetch first|cannot lock ref)/.test(lines[1] ?? '')) return 'moved';
  throw new MemgitError('REMOTE_REFUSED', 'the remote refused to take the commits; its administrator can say why');
}

function text(bytes: Bytes): string {
  return Buffer.from(bytes).toString('latin1');
}

function foreignAnswer(cause?: unknown): MemgitError {
  return new MemgitError('REMOTE_UNREACHABLE', 'expected the remote to answer as a git server does, got something else; check the address', { cause });
}
