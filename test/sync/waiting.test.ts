/**
 * A server that keeps a machine without git waiting: every wait ends, and says why. Seen to go on for ever where only node's own timeout
 * of a silent socket bounded it, but for the two that say nothing at all, which were taken for a connection that broke off.
 */
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest } from '../../src/git/http.ts';
import { HttpTransport } from '../../src/git/http-transport.ts';
import { packet } from '../../src/git/pkt-line.ts';
import type { Quarantine } from '../../src/git/quarantine.ts';

const TIMEOUT_MS = 400;
const FAR_LONGER_MS = 10 * TIMEOUT_MS;
const SILENT = { code: 'REMOTE_UNREACHABLE', details: { timeoutMs: TIMEOUT_MS } };

const head = (kind: string): string => `HTTP/1.1 200 OK\r\ncontent-type: application/x-git-upload-pack-${kind}\r\nconnection: close\r\n\r\n`;
const branches = Buffer.concat([packet('# service=git-upload-pack\n'), Buffer.from('0000'), packet(`${'1'.repeat(40)} refs/heads/main\0side-band-64k\n`), Buffer.from('0000')]);

/** Says something again and again, for as long as anyone listens. */
function again(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), TIMEOUT_MS / 8);
  socket.on('close', () => {
    clearInterval(timer);
  });
}

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** Answers what it is sent, by its first line, with whatever a socket can say. @returns its port */
async function serve(answer: (socket: Socket, line: string) => void): Promise<number> {
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      answer(socket, bytes.toString('latin1').split('\r\n')[0]!);
    });
  });
  return listen();
}

async function listen(): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function outcomeOf(asked: Promise<unknown>): Promise<unknown> {
  return Promise.race([asked.catch((error: unknown) => error), sleep(FAR_LONGER_MS, 'still waiting', { ref: false })]);
}

function transportTo(port: number, proxy?: string): HttpTransport {
  const url = proxy === undefined ? `http://127.0.0.1:${port}/x.git` : 'https://memgit.invalid/x.git';
  return new HttpTransport({ url, protocol: proxy === undefined ? 'http' : 'https' }, { retries: 0, timeoutMs: TIMEOUT_MS, proxy });
}

test.each<[string, object, (socket: Socket) => void]>([
  ['says nothing more after the head of its answer', SILENT, (socket) => void socket.write(head('advertisement'))],
  ['says nothing more in the middle of its answer', SILENT, (socket) => void socket.write(`${head('advertisement')}001e`)],
  ['says again and again that it is about to answer', SILENT, (socket) => { again(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n'); }],
  ['takes its time over the head of its answer', SILENT, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    again(socket, 'x');
  }],
  ['takes its time over its answer', SILENT, (socket) => {
    socket.write(`${head('advertisement')}fff0`);
    again(socket, 'x');
  }],
  // Here the connection ends, and node tells nobody.
  ['goes over to another protocol', { code: 'REMOTE_UNREACHABLE' }, (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
])('a server that %s', async (_, expected, answer) => {
  const port = await serve(answer);
  expect(await outcomeOf(transportTo(port).readHead())).toMatchObject(expected);
});

test('a server that sends heartbeats in place of a pack', async () => {
  const port = await serve((socket, line) => {
    if (line.startsWith('GET')) socket.end(Buffer.concat([Buffer.from(head('advertisement')), branches]));
    else {
      socket.write(`${head('result')}0008NAK\n`);
      again(socket, '0005\u0001');
    }
  });
  const neverReached = undefined as unknown as Quarantine;
  expect(await outcomeOf(transportTo(port).fetch(neverReached, [], () => undefined))).toMatchObject(SILENT);
});

test.each<[string, (socket: Socket) => void]>([
  ['takes its time', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    again(socket, 'x');
  }],
  ['opens a tunnel to nowhere', (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n')],
])('a proxy that %s', async (_, answer) => {
  const port = await serve(answer);
  expect(await outcomeOf(transportTo(port, `http://127.0.0.1:${port}`).readHead())).toMatchObject(SILENT);
});

test('a server that takes longer in all, and goes on all the while, is waited for', async () => {
  const many = Array.from({ length: 12 }, (_, i) => packet(`${'2'.repeat(40)} refs/x/${'y'.repeat(2000)}${i}\n`));
  const pieces = [branches.subarray(0, -4), ...many, Buffer.from('0000')];
  const port = await serve((socket) => {
    socket.write(head('advertisement'));
    void (async () => {
      for (const piece of pieces) {
        await sleep(TIMEOUT_MS / 8);
        socket.write(piece);
      }
      socket.end();
    })();
  });
  expect(await outcomeOf(transportTo(port).readHead())).toBe('1'.repeat(40));
});

/** Seen to fail with all pieces written at once. */
test('a server that takes what is sent to it slowly, and goes on all the while, is waited for', async () => {
  const [silenceMs, bytesPerMs, size] = [2_000, 16_384, 64 * 1024 ** 2];
  server = createHttpServer((incoming, answer) => {
    const started = Date.now();
    let taken = 0;
    incoming.on('data', (bytes: Buffer) => {
      taken += bytes.length;
      const aheadMs = taken / bytesPerMs - (Date.now() - started);
      if (aheadMs < 1) return;
      incoming.pause();
      setTimeout(() => incoming.resume(), aheadMs);
    });
    incoming.on('end', () => answer.end());
  });
  const request = { url: `http://127.0.0.1:${await listen()}/`, method: 'POST' as const, headers: {}, body: [new Uint8Array(size)], maxBytes: 1 };
  const response = await sendRequest(request, { ca: undefined, proxy: undefined, silenceMs, signal: undefined });
  response.close();
});
