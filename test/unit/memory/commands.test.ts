/** What the cases of the conformance suite do not reach: options, images, long texts, records of what changed. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { isMemgitError } from '../../../src/errors.ts';
import { parseCommand } from '../../../src/memory/arguments.ts';
import { runCommand, type CommandOptions, type Outcome } from '../../../src/memory/commands.ts';
import { execute } from '../../../src/memory/execute.ts';
import { CommandRefusal, refusals } from '../../../src/memory/messages.ts';
import { parsePath } from '../../../src/vault/path.ts';
import { jpeg, png } from '../../support/images.ts';
import { MemoryModel } from '../../support/memory-model.ts';

let memory: MemoryModel;
beforeEach(() => {
  memory = new MemoryModel();
});

function write(path: string, content: string | Buffer): void {
  memory.apply([{ kind: 'write', path: parsePath(path), content: Buffer.from(content) }]);
}

async function read(path: string): Promise<string> {
  return Buffer.from(await memory.snapshot().read(parsePath(path))).toString();
}

async function run(input: Record<string, unknown>, options?: CommandOptions): Promise<Outcome> {
  const outcome = await runCommand(memory.snapshot(), parseCommand(input), options);
  memory.apply(outcome.changes);
  return outcome;
}

async function refusal(input: unknown, options?: CommandOptions): Promise<[string, string]> {
  try {
    await runCommand(memory.snapshot(), parseCommand(input), options);
  } catch (error) {
    if (error instanceof CommandRefusal) return [error.code, error.sentence];
    throw error;
  }
  throw new Error('expected a refusal');
}

async function view(path: string, view_range?: unknown): Promise<unknown> {
  return (await run({ command: 'view', path, view_range })).reply;
}

describe('outcomes', () => {
  test('name the operation, the paths and the changes', async () => {
    const [a, b] = [parsePath('/memories/a'), parsePath('/memories/d/b')];
    expect(await run({ command: 'create', path: '/memories/./a', file_text: 'x' })).toMatchObject({
      op: 'create',
      paths: [a],
      changes: [{ kind: 'write', path: a, content: Buffer.from('x') }],
    });
    expect(await run({ command: 'view', path: '/memories/a' })).toMatchObject({ op: 'view', paths: [a], changes: [] });
    expect(await run({ command: 'rename', old_path: '/memories/a', new_path: '/memories/d/b' })).toMatchObject({
      op: 'rename',
      paths: [a, b],
      changes: [{ kind: 'move', from: a, to: b }],
    });
    expect(await run({ command: 'delete', path: '/memories/d/b' })).toMatchObject({
      op: 'delete',
      paths: [b],
      changes: [{ kind: 'remove', path: b }],
    });
  });

  test('a write that changes nothing succeeds without changes', async () => {
    write('/memories/a', 'x\n');
    const same = [
      { command: 'str_replace', path: '/memories/a', old_str: 'x', new_str: 'x' },
      { command: 'create', path: '/memories/a', file_text: 'x\n' },
    ];
    for (const input of same) expect((await run(input, { overwrite: true })).changes).toEqual([]);
    write('/memories/a', '');
    expect((await run({ command: 'insert', path: '/memories/a', insert_line: 0, insert_text: '\n' })).changes).toEqual([]);
  });
});

test('a file beyond 64 MiB is refused with its size, whichever command would make it', async () => {
  const limit = 64 * 1024 * 1024;
  write('/memories/a', 'x');
  const sentence = `Error: The file would have ${limit + 1} bytes, and a memory file holds at most ${limit}. Split it into several files`;
  expect(await refusal({ command: 'create', path: '/memories/b', file_text: 'x'.repeat(limit + 1) })).toEqual(['TOO_LARGE', sentence]);
  expect(await refusal({ command: 'str_replace', path: '/memories/a', old_str: 'x', new_str: 'y'.repeat(limit + 1) })).toEqual(['TOO_LARGE', sentence]);
});

describe('create', () => {
  test('overwrites a file only when told so, and a directory never', async () => {
    write('/memories/d/a', 'x');
    const create = (path: string) => ({ command: 'create', path, file_text: 'y' });
    expect(await refusal(create('/memories/d/a'))).toEqual(['ALREADY_EXISTS', 'Error: File /memories/d/a already exists']);
    await run(create('/memories/d/a'), { overwrite: true });
    expect(await read('/memories/d/a')).toBe('y');
    for (const path of ['/memories/d', '/memories']) {
      expect(await refusal(create(path), { overwrite: true })).toEqual(['ALREADY_EXISTS', `Error: File ${path} already exists`]);
    }
  });

  test('is refused below a file, however far', async () => {
    write('/memories/a', 'x');
    const [code, sentence] = await refusal({ command: 'create', path: '/memories/a/b/c', file_text: 'y' });
    expect(code).toBe('NOT_A_DIRECTORY');
    expect(sentence).toContain('because /memories/a is a file');
  });
});

describe('view of a file', () => {
  test('an image is shown by its content, whatever its name', async () => {
    for (const [image, media_type] of [
      [png(3, 2), 'image/png'],
      [jpeg(3, 2), 'image/jpeg'],
    ] as const) {
      write('/memories/notes.txt', image);
      expect(await view('/memories/notes.txt', [5, 1])).toEqual([
        { type: 'image', source: { type: 'base64', media_type, data: image.toString('base64') } },
      ]);
    }
    write('/memories/picture.png', 'text');
    expect(await view('/memories/picture.png')).toBe("Here's the content of /memories/picture.png with line numbers:\n     1\ttext");
  });

  test('other bytes are described', async () => {
    write('/memories/a', Buffer.from([0xff, 0x00]));
    expect(await view('/memories/a')).toBe('The file /memories/a is binary (2 bytes) and cannot be shown as text.');
    write('/memories/a', png(9000, 1));
    expect(await view('/memories/a')).toMatch(/^The file \/memories\/a is an image of 9000 x 1 pixels .* too large/);
    for (const edit of [
      { command: 'str_replace', old_str: 'x', new_str: 'y' },
      { command: 'insert', insert_line: 0, insert_text: 'x' },
    ]) {
      expect((await refusal({ ...edit, path: '/memories/a' }))[0]).toBe('NOT_TEXT');
    }
  });

  test.each([
    [undefined, '1\n2\n3'],
    [null, '1\n2\n3'],
    [[2, 99], '2\n3'],
    [[3, -1], '3'],
    [['1', '2'], '1\n2'],
    [[1, 2.0], '1\n2'],
  ])('view_range %j', async (range, shown) => {
    write('/memories/a', '1\n2\n3\n');
    const lines = shown.split('\n').map((line) => `     ${line}\t${line}`);
    expect(await view('/memories/a', range)).toBe(["Here's the content of /memories/a with line numbers:", ...lines].join('\n'));
  });

  test.each([[0, 1], [4, 4], [4, -1], [2, 1], [1, 0], ['01', 2], ['1 ', 2], ['', 2], [1, Infinity], [{}, 1]].map((range) => [range]))(
    'view_range %j names the valid range',
    async (range) => {
      write('/memories/a', '1\n2\n3\n');
      const [code, sentence] = await refusal({ command: 'view', path: '/memories/a', view_range: range });
      expect(code).toBe('LINE_OUT_OF_RANGE');
      expect(sentence).toMatch(/^Error: Invalid `view_range` parameter: .* lines of the file: \[1, 3\]$/);
    },
  );

  test('long texts are cut at a line and continued with view_range', async () => {
    write('/memories/a', `${'x'.repeat(99)}\n`.repeat(400));
    const first = String(await view('/memories/a'));
    expect(first).toMatch(/\n {3}160\tx{99}\n\n\[Lines 1 to 160 of 400 are shown: .* use view_range \[161, 400\]\.\]$/);
    expect(String(await view('/memories/a', [161, 330]))).toMatch(/\[Lines 161 to 320 of 400 .* \[321, 330\]\.\]$/);
    expect(String(await view('/memories/a', [321, 400]))).toMatch(/\n {3}400\tx{99}$/);
  });

  test('a line that alone is too long is cut, with its length', async () => {
    write('/memories/a', `${'\u{1f600}'.repeat(16_001)}\nnext`);
    const reply = String(await view('/memories/a'));
    expect(reply.isWellFormed()).toBe(true);
    expect(reply).toMatch(/\[Line 1 of 2 is 16001 characters long and only its first 16000 are shown\. .* \[2, 2\]\.\]$/);
    expect(String(await view('/memories/a', [1, 1]))).toMatch(/first 16000 are shown\.\]$/);
  });

  test('more than 999,999 lines are an error', async () => {
    write('/memories/a', '\n'.repeat(1_000_000));
    expect(await refusal({ command: 'view', path: '/memories/a', view_range: [1, 2] })).toEqual([
      'TOO_LARGE',
      'File /memories/a exceeds maximum line limit of 999,999 lines.',
    ]);
    write('/memories/a', '\n'.repeat(999_999));
    expect(await view('/memories/a', [999_999, 999_999])).toMatch(/\n999999\t$/);
  });
});

describe('view of a directory', () => {
  test('counts hidden files but does not list them', async () => {
    write('/memories/.git/config', 'x'.repeat(2048));
    write('/memories/node_modules/m', 'xx');
    write('/memories/d/.h', 'x');
    expect(await view('/memories')).toBe(
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n2.0K\t/memories\n1B\t/memories/d/",
    );
    expect(await view('/memories/.git')).toMatch(/\n2\.0K\t\/memories\/\.git\n2\.0K\t\/memories\/\.git\/config$/);
  });
});

describe('str_replace', () => {
  const replace = (old_str: string, new_str?: string | null) => ({ command: 'str_replace', path: '/memories/a', old_str, new_str });

  test('takes old and new text literally', async () => {
    write('/memories/a', 'a.b $& c');
    await run(replace('.b $&', "$1$&$'"));
    expect(await read('/memories/a')).toBe("a$1$&$' c");
  });

  test('matches LF against CRLF, and writes CRLF', async () => {
    write('/memories/a', 'one\r\ntwo\r\nthree\r\n');
    await run(replace('one\ntwo', 'x\ny\r\nz'));
    expect(await read('/memories/a')).toBe('x\r\ny\r\nz\r\nthree\r\n');
    write('/memories/a', 'one\r\ntwo\n');
    expect((await refusal(replace('one\ntwo', 'x')))[0]).toBe('NO_MATCH');
  });

  test('quotes the text as it was asked for', async () => {
    write('/memories/a', 'x\r\nx\r\n');
    expect(await refusal(replace('y\n'))).toEqual([
      'NO_MATCH',
      'No replacement was performed, old_str `y\n` did not appear verbatim in /memories/a.',
    ]);
    expect((await refusal(replace('x\n')))[1]).toContain('old_str `x\n` in lines: 1, 2.');
  });

  test('does not list occurrences without end', async () => {
    write('/memories/a', 'x'.repeat(5000));
    const [, sentence] = await refusal(replace('x'));
    expect(sentence).toMatch(/in lines: (1, ){999}1 and more\. Please ensure it is unique$/);
  });

  test('a directory is told as a missing file, an operator is told the difference', async () => {
    write('/memories/a/b', 'x');
    const sentence = 'Error: The path /memories/a does not exist. Please provide a valid path.';
    expect(await refusal(replace('x'))).toEqual(['NOT_A_FILE', sentence]);
    expect(await refusal({ ...replace('x'), path: '/memories/c' })).toEqual(['NOT_FOUND', sentence.replace('/a', '/c')]);
  });
});

describe('rename', () => {
  const rename = (old_path: string, new_path: string) => ({ command: 'rename', old_path, new_path });

  test('refuses itself, the root, and its own inside', async () => {
    write('/memories/d/f', 'x');
    expect((await refusal(rename('/memories/d', '/memories/d/')))[1]).toBe('Error: The destination /memories/d already exists');
    expect((await refusal(rename('/memories/none', '/memories/none')))[1]).toBe('Error: The path /memories/none does not exist');
    expect((await refusal(rename('/memories/.', '/memories')))[1]).toContain('Cannot rename the /memories directory itself');
    expect((await refusal(rename('/memories/d', '/memories/d/e/f')))[1]).toContain('which is inside it');
    expect((await refusal(rename('/memories/d/f', '/memories/d/f/g')))[0]).toBe('NOT_A_DIRECTORY');
  });

  test('refuses to make a path inside too long', async () => {
    const deep = 'd/'.repeat(250);
    write(`/memories/a/${deep}f`, 'x');
    const far = `/memories/${'e/'.repeat(260)}z`;
    expect((await refusal(rename('/memories/a', far)))[0]).toBe('INVALID_PATH');
    await run(rename('/memories/a', far.slice(0, -40)));
    expect(await memory.snapshot().stat(parsePath('/memories/a'))).toBeUndefined();
  });
});

describe('arguments', () => {
  test.each([undefined, null, 'view', 7, [], {}, Object.create({ command: 'view', path: '/memories' })])(
    '%j has no command',
    async (input) => {
      expect(await refusal(input)).toEqual(['INVALID_ARGUMENT', 'Error: Missing required parameter: `command`']);
    },
  );

  test.each(['toString', 'constructor', '__proto__', 'VIEW', 'undo_edit', 7, ['view']])('%j is no command', async (command) => {
    const [code, sentence] = await refusal({ command, path: '/memories' });
    expect(code).toBe('INVALID_ARGUMENT');
    expect(sentence).toBe(
      `Error: Unknown command: ${JSON.stringify(command)}. The commands are view, create, str_replace, insert, delete and rename`,
    );
  });

  const complete: Record<string, unknown>[] = [
    { command: 'view', path: '/memories/a' },
    { command: 'create', path: '/memories/b', file_text: 'x' },
    { command: 'str_replace', path: '/memories/a', old_str: 'x' },
    { command: 'insert', path: '/memories/a', insert_line: 0, insert_text: 'y' },
    { command: 'delete', path: '/memories/a' },
    { command: 'rename', old_path: '/memories/a', new_path: '/memories/b' },
  ];
  const parameters = complete.flatMap((input) => Object.keys(input).slice(1).map((name) => [input['command'], name, input] as const));

  test.each(parameters)('%s names %s when it is missing, null, mistyped or no text', async (_, name, input) => {
    write('/memories/a', 'x');
    expect((await run(input)).reply).toBeDefined();
    const { [name]: _value, ...missing } = input;
    for (const bad of [missing, { ...input, [name]: null }]) {
      expect(await refusal(bad)).toEqual(['INVALID_ARGUMENT', `Error: Missing required parameter: \`${name}\``]);
    }
    for (const value of [true, {}, [], 1.5, '\ud800', NaN]) {
      const [, sentence] = await refusal({ ...input, [name]: value });
      expect(sentence).toContain(`Error: Invalid \`${name}\` parameter: `);
      expect(sentence.isWellFormed()).toBe(true);
    }
  });

  test('a clean numeric string is a line number', async () => {
    write('/memories/a', 'x');
    await run({ command: 'insert', path: '/memories/a', insert_line: '1', insert_text: 'y' });
    expect(await read('/memories/a')).toBe('x\ny');
  });

  test('a lone surrogate in new_str is refused', async () => {
    write('/memories/a', 'x');
    expect((await refusal({ command: 'str_replace', path: '/memories/a', old_str: 'x', new_str: '\udc00' }))[0]).toBe('INVALID_ARGUMENT');
  });

  test('what is quoted is cut', async () => {
    const [, sentence] = await refusal({ command: 'view', path: '/'.repeat(100_000) });
    expect(sentence.length).toBeLessThan(500);
  });
});

test('a refusal shows what the memory holds to Claude only', () => {
  const error = refusals.noMatch(parsePath('/memories/secret'), 'secret');
  const seen = [error.message, String(error.stack), JSON.stringify(error), inspect(error)];
  expect(seen.join()).not.toContain('secret');
  expect(isMemgitError(error, 'NO_MATCH')).toBe(true);
});

test('nothing that can be sent makes a command fail unexpectedly, and every reply can be sent again', async () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>('/memories', '/memories/a', '/memories/a/b', '/memories/c', 'x', '', 0, 1, -1, null, [1, 1], '\ud83d'),
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
  );
  const command = fc.constantFrom('view', 'create', 'str_replace', 'insert', 'delete', 'rename');
  const names = ['path', 'file_text', 'view_range', 'old_str', 'new_str', 'insert_line', 'insert_text', 'old_path', 'new_path'];
  const input = fc.record({ command, ...Object.fromEntries(names.map((name) => [name, value])) }, { requiredKeys: ['command'] });
  write('/memories/a', 'x\ny\n');
  await fc.assert(
    fc.asyncProperty(input, async (sent) => {
      const unexpected: unknown[] = [];
      const { content } = await execute(memory, sent, { onError: (error) => unexpected.push(error) });
      expect(unexpected).toEqual([]);
      expect(content).toEqual(expect.any(String));
      expect((content as string).isWellFormed()).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('a directory may hold more files than fit a call', async () => {
  const directory = { kind: 'directory', path: parsePath('/memories/many'), sizeBytes: 0 } as const;
  const file = { kind: 'file', path: parsePath('/memories/many/file'), sizeBytes: 1, blob: '0' } as const;
  const snapshot = {
    ...memory.snapshot(),
    stat: async () => ({ ...directory, path: parsePath('/memories') }),
    children: async (path: string) => (path === directory.path ? Array<typeof file>(200_000).fill(file) : [directory]),
  } as unknown as Parameters<typeof runCommand>[0];
  const { reply } = await runCommand(snapshot, parseCommand({ command: 'view', path: '/memories' }));
  expect((reply as string).split('\n')).toHaveLength(1 + 1 + 1 + 200_000);
});
