/**
 * A server that never stops talking, to a machine without git: it is left when it has said more than there can be to say, and no
 * connection stays behind. The error's page was seen to fail without `close` in `sendRequest`; without the bound the others never end.
 */
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTransport } from '../../src/git/open-transport.ts';
import { packet } from '../../src/git/pkt-line.ts';
import { pushRemote } from '../../src/sync/push.ts';
import { fetchRemote } from '../../src/sync/fetch.ts';
import { git } from '../support/git-repository.ts';
import { Bench } from '../support/remote-vault.ts';
import { StandIn, type Misbehaviour } from '../support/servers/stand-in.ts';
import { writeFile } from '../support/tmp-vault.ts';

const bench = new Bench();
const saved = { PATH: process.env['PATH'] };
let standIn: StandIn;
beforeAll(async () => {
  standIn = await StandIn.start(bench.folder);
});
beforeEach(() => {
  process.env['PATH'] = '/nonexistent';
});
afterEach(async () => {
  Object.assign(process.env, saved);
  standIn.behaviour = { kind: 'none' };
  // Closing takes its way through the system.
  for (let i = 0; i < 100 && (await standIn.connections()) > 0; i += 1) await sleep(10);
  expect(await standIn.connections()).toBe(0);
});
afterAll(async () => {
  await standIn.stop();
  await bench.close();
});

const text = Buffer.alloc(1024 ** 2, 'a');
const refs = 'application/x-git-upload-pack-advertisement';
const advertisement = [packet('# service=git-upload-pack\n'), Buffer.from('0000'), packet(`${'1'.repeat(40)} refs/heads/main\0side-band-64k\n`)];
const manyRefs = Buffer.concat(Array.from({ length: 1000 }, (_, i) => packet(`${'1'.repeat(40)} refs/x/${'y'.repeat(800)}${i}\n`)));

test.each<[string, string, Misbehaviour]>([
  ['a page', 'TOO_LARGE', { kind: 'flood', status: 200, type: 'text/html', begin: text, again: text }],
  ['a list of branches', 'TOO_LARGE', { kind: 'flood', status: 200, type: refs, begin: Buffer.concat(advertisement), again: manyRefs }],
  ['the page of an error', 'REMOTE_REFUSED', { kind: 'flood', status: 401, type: 'text/html', begin: text, again: text }],
])('%s without an end', async (_, code, behaviour) => {
  standIn.behaviour = behaviour;
  const transport = await openTransport(standIn.url('x.git'), { retries: 0 });
  await expect(transport.readHead()).rejects.toMatchObject({ code });
});

/** Seen to fail with each piece kept by itself. */
test('a pack in millions of pieces takes little more than its bytes', async () => {
  process.env['PATH'] = saved.PATH;
  const [{ vault }, bare] = [await bench.vault(), bench.bare()];
  git((await bench.vault()).gitdir, ['push', '--quiet', bare, 'main']);
  process.env['PATH'] = '/nonexistent';
  const url = standIn.url(basename(bare));
  standIn.behaviour = { kind: 'crumbs', pieces: 1_000_000 };
  const before = process.resourceUsage().maxRSS;
  await expect(fetchRemote(vault, { name: 'origin', url })).rejects.toMatchObject({ code: 'CORRUPT' });
  expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(80);
});

test('what is whole leaves no connection either', async () => {
  const { vault } = await bench.vault();
  await writeFile(vault, 'a.txt', 'a\n');
  process.env['PATH'] = saved.PATH;
  const remote = { name: 'origin', url: standIn.url(basename(bench.bare())) };
  process.env['PATH'] = '/nonexistent';
  await pushRemote(vault, remote);
  expect(await fetchRemote(vault, remote)).toMatchObject({ commits: 0 });
});
