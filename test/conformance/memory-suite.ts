/**
 * The cases of fixtures/memory-tool.json as one suite for anything that answers memory-tool commands. Where the
 * documentation gives the answer, that is what must stand on the wire; elsewhere fixtures/memory-answers.json does.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolResult } from '../../src/memory/execute.ts';

/** Something with a memory that starts empty. */
export interface MemoryTarget {
  execute(input: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

interface Repeat {
  $repeat: string;
  times: number;
  join: string;
}

interface Case {
  id: string;
  setup: Record<string, unknown>[];
  command: Record<string, unknown>;
  expected_doc?: { content: string; is_error: boolean };
}

interface Answer {
  content?: string | (string | Repeat)[];
  is_error?: boolean;
  refused_in_setup?: Record<string, string>;
}

const { cases } = readFixture('memory-tool.json') as { cases: Case[] };
const { answers } = readFixture('memory-answers.json') as { answers: Record<string, Answer> };

/** Each case with the commands to run, in order, on an empty memory and what each must answer. */
export const memoryCases = cases.map(({ id, setup, command, expected_doc }) => {
  const answer = answers[id] ?? {};
  const ofSetup = setup.map((_, index): unknown => {
    const refusal = answer.refused_in_setup?.[index];
    return refusal === undefined ? { content: expect.any(String) as string, is_error: false } : { content: refusal, is_error: true };
  });
  return {
    id,
    commands: [...setup, command].map(expand),
    expected: [...ofSetup, expected_doc ?? { content: joinParts(answer.content), is_error: answer.is_error }],
  };
});

export function memorySuite(name: string, factory: () => Promise<MemoryTarget>): void {
  describe(`the memory tool's cases: ${name}`, () => {
    test.each(memoryCases.map((one) => [one.id, one] as const))('%s', async (_, { commands, expected }) => {
      const target = await factory();
      try {
        for (const [index, command] of commands.entries()) expect(await target.execute(command)).toEqual(expected[index]);
      } finally {
        await target.close();
      }
    });
  });

  test('every case has an answer, and every answer a case', () => {
    const undocumented = cases.filter((one) => one.expected_doc === undefined).map((one) => one.id);
    expect(undocumented.filter((id) => answers[id]?.content === undefined)).toEqual([]);
    expect(Object.keys(answers).filter((id) => !cases.some((one) => one.id === id))).toEqual([]);
    expect(cases).toHaveLength(142);
  });
}

function readFixture(name: string): unknown {
  return JSON.parse(readFileSync(join('fixtures', name), 'utf8'));
}

function expand(step: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(step).map(([key, value]) => [key, isRepeat(value) ? repeat(value) : value]),
  );
}

function joinParts(content: Answer['content']): string | undefined {
  return Array.isArray(content) ? content.map((part) => (isRepeat(part) ? repeat(part) : part)).join('') : content;
}

function isRepeat(value: unknown): value is Repeat {
  return typeof value === 'object' && value !== null && '$repeat' in value;
}

function repeat({ $repeat, times, join }: Repeat): string {
  return Array<string>(times).fill($repeat).join(join);
}
