import { Writable } from 'node:stream';
import { Output, ReaderGone } from '../../../src/cli/output.ts';
import { fakeIo } from '../../support/fake-io.ts';

test('the first line is there at once, later ones are gathered until the end', async () => {
  const { io, stdout } = fakeIo();
  const out = new Output(io, { pager: false });
  await out.line('first');
  expect(stdout()).toBe('first\n');
  await out.line('second');
  expect(stdout()).toBe('first\n');
  await out.close();
  expect(stdout()).toBe('first\nsecond\n');
});

test('text and bytes keep their order', async () => {
  const { io, stdout } = fakeIo();
  const out = new Output(io, { pager: false });
  await out.line('a');
  await out.line('b');
  await out.memoryBytes(Buffer.from('\x1b'));
  await out.line('c');
  await out.close();
  expect(stdout()).toBe('a\nb\n\x1bc\n');
});

test('memory text is raw for a program and harmless for a terminal', async () => {
  expect(new Output(fakeIo().io, { pager: false }).memoryText('\x1b[2J')).toBe('\x1b[2J');
  const { io, stdout } = fakeIo({ terminal: true });
  const out = new Output(io, { pager: false });
  expect(out.memoryText('\x1b[2J')).toBe('\\x1b[2J');
  await out.memoryBytes(Buffer.from([0xff, 0x1b]));
  expect(stdout()).toBe('\\xff\\x1b');
});

test('JSON is raw for a program and harmless, but the same, for a terminal', async () => {
  const value = { text: '\x9b31m \u202e \u{e0041} \x7f é 😀' };
  const printed = async (terminal: boolean) => {
    const { io, stdout } = fakeIo({ terminal });
    await new Output(io, { pager: false }).json(value);
    return stdout();
  };
  expect(await printed(false)).toBe(`${JSON.stringify(value)}\n`);
  expect(await printed(true)).toBe('{"text":"\\u009b31m \\u202e \\udb40\\udc41 \\u007f é 😀"}\n');
});

test.each([
  ['on a terminal', { terminal: true }, true],
  ['in a pipe', { terminal: false }, false],
  ['with NO_COLOR', { terminal: true, env: { NO_COLOR: '1' } }, false],
  ['with an empty NO_COLOR', { terminal: true, env: { NO_COLOR: '' } }, true],
  ['on a dumb terminal', { terminal: true, env: { TERM: 'dumb' } }, false],
])('colours %s', (_, surroundings, coloured) => {
  expect(new Output(fakeIo(surroundings).io, { pager: false }).style.added('x') !== 'x').toBe(coloured);
});

test('what a person reads goes through the pager, and close waits for it', async () => {
  const { io, stdout } = fakeIo({ terminal: true, env: { PAGER: 'cat >/dev/null', PATH: process.env['PATH'] ?? '' } });
  const out = new Output(io, { pager: true });
  out.page();
  await out.line('text');
  await out.close();
  expect(stdout()).toBe('');
});

test.each([
  ['a pager that is not wanted', { PAGER: '' }],
  ['cat', { PAGER: 'cat' }],
  ['less on a terminal that cannot page', { TERM: 'dumb' }],
])('%s is not started', async (_, env) => {
  const { io, stdout } = fakeIo({ terminal: true, env });
  const out = new Output(io, { pager: true });
  out.page();
  await out.line('text');
  expect(stdout()).toBe('text\n');
});

test('a pager that is left early is a reader that has gone', async () => {
  const { io } = fakeIo({ terminal: true, env: { PAGER: 'exit 0', PATH: process.env['PATH'] ?? '' } });
  const out = new Output(io, { pager: true });
  out.page();
  const writeALot = async () => {
    for (let i = 0; i < 100; i += 1) await out.write('x'.repeat(100_000));
  };
  await expect(writeALot()).rejects.toThrow(ReaderGone);
});

// Seen to fail, all of it, with a pager whose exit status nobody looks at, and with more than a mebibyte when nothing is kept.
test.each([
  ['a line', 'text\n'],
  ['more than a pipe holds', 'x'.repeat(3_000_000)],
])('what a pager that cannot be run would lose is shown without it: %s', async (_, text) => {
  for (const pager of ['nosuchpager', '/', 'exit 126']) {
    const { io, stdout } = fakeIo({ terminal: true, env: { PAGER: `${pager} 2>/dev/null`, PATH: process.env['PATH'] ?? '' } });
    const out = new Output(io, { pager: true });
    out.page();
    for (let at = 0; at < text.length; at += 50_000) await out.write(text.slice(at, at + 50_000));
    await out.line('the end');
    await out.close();
    expect(stdout()).toBe(`${text}the end\n`);
  }
});

describe('a stream that fails', () => {
  const failing = (code: string) => new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

  test('by a closed pipe ends what only shows something', async () => {
    const out = new Output({ ...fakeIo().io, stdout: failing('EPIPE') }, { pager: false });
    out.page();
    await expect(out.line('x')).rejects.toThrow(ReaderGone);
    await expect(out.bytes((async function* () { yield Buffer.from('x'); })())).rejects.toThrow(ReaderGone);
    // At its end it is no matter any more.
    await out.write('y');
    await out.close();
  });

  test('by a closed pipe ends nothing else', async () => {
    const out = new Output({ ...fakeIo().io, stdout: failing('EPIPE') }, { pager: false });
    await out.line('x'.repeat(20_000));
    await out.line('the end');
    await out.memoryBytes(Buffer.from('x'));
    await out.close();
  });

  test('otherwise tells why', async () => {
    await expect(new Output({ ...fakeIo().io, stdout: failing('ENOSPC') }, { pager: false }).line('x')).rejects.toThrow('ENOSPC');
  });
});
