/** How the command loads its own modules. Seen to fail with a module that threw remembered, and with one that runs again for each who asks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompiledProgram } from '../../../src/cli/compiled-program.ts';
import { temporaryFolder } from '../../support/git-repository.ts';

const folder = temporaryFolder();

function moduleOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('a module runs once, whoever asks for it, also while it runs', () => {
  moduleOf('counted.cjs', `
    exports.runs = (exports.runs ?? 0) + 1;
    exports.self = require('./counted.cjs');`);
  const main = moduleOf('asks.cjs', `
    exports.first = require('./counted.cjs');
    exports.second = require('./counted.cjs');
    exports.join = require('node:path').join;`);
  const { first, second, join: joined } = new CompiledProgram(main, undefined).load(main) as Record<string, { runs: number; self: unknown }>;
  expect(first!.runs).toBe(1);
  expect(first).toBe(second);
  expect(first!.self).toBe(first);
  expect(joined).toBe(join);
});

test('a module that throws is not taken for one that has run', () => {
  const broken = moduleOf('broken.cjs', `
    globalThis.attempts = (globalThis.attempts ?? 0) + 1;
    if (globalThis.attempts < 3) throw new Error('attempt ' + globalThis.attempts);
    exports.attempts = globalThis.attempts;
    delete globalThis.attempts;`);
  const program = new CompiledProgram(broken, undefined);
  expect(() => program.load(broken)).toThrow('attempt 1');
  expect(() => program.load(broken)).toThrow('attempt 2');
  expect(program.load(broken)).toEqual({ attempts: 3 });
});
