import fc from 'fast-check';
import type { Oid } from '../../../src/git/objects.ts';
import { relate } from '../../../src/sync/ancestry.ts';
import type { CommitInfo } from '../../../src/vault/commit-info.ts';

/** Each commit's parents by number, all of them earlier ones. */
const history = fc.array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: 1, maxLength: 25 }).map((all) => all.map((parents, i) => [...new Set(parents.map((parent) => parent % Math.max(i, 1)))].filter((parent) => parent < i)));

function makeCommits(parents: readonly (readonly number[])[]): CommitInfo[] {
  const commits: CommitInfo[] = [];
  for (const [i, numbers] of parents.entries()) {
    const before = numbers.map((number) => commits[number]!);
    const sequence = Math.max(-1, ...before.map(({ record }) => record.sequence)) + 1;
    commits.push({ oid: oidOf(i), commit: { parents: before.map(({ oid }) => oid) }, record: { sequence } } as unknown as CommitInfo);
  }
  return commits;
}

function oidOf(number: number): Oid {
  // Not in the order of the numbers, as oids are not.
  return ((number * 7919 + 13) % 9973).toString(16).padStart(40, '0') as Oid;
}

function ancestorsOf(commits: readonly CommitInfo[], start: CommitInfo): Set<Oid> {
  const found = new Set([start.oid]);
  for (const oid of found) for (const parent of commits.find((commit) => commit.oid === oid)!.commit.parents) found.add(parent);
  return found;
}

function without(all: ReadonlySet<Oid>, some: ReadonlySet<Oid>): Set<Oid> {
  return new Set([...all].filter((oid) => !some.has(oid)));
}

test('agrees with walking everything', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), fc.nat(), async (parents, a, b) => {
      const commits = makeCommits(parents);
      const [first, second] = [commits[a % commits.length]!, commits[b % commits.length]!];
      const relation = await relate(async (oid) => commits.find((commit) => commit.oid === oid)!, first.oid, second.oid);
      const [ours, theirs] = [ancestorsOf(commits, first), ancestorsOf(commits, second)];
      expect(new Set(relation.ahead)).toEqual(without(ours, theirs));
      expect(new Set(relation.behind)).toEqual(without(theirs, ours));
      const common = commits.filter(({ oid }) => ours.has(oid) && theirs.has(oid));
      const best = common.filter((commit) => !common.some((other) => other !== commit && ancestorsOf(commits, other).has(commit.oid)));
      expect(new Set(relation.bases)).toEqual(new Set(best));
    }),
    { numRuns: 300 },
  );
});

test('reads no more of the history than it takes', async () => {
  const commits = makeCommits(Array.from({ length: 1000 }, (_, i) => (i === 0 ? [] : [i - 1])));
  let reads = 0;
  const read = async (oid: Oid): Promise<CommitInfo> => {
    reads += 1;
    return commits.find((commit) => commit.oid === oid)!;
  };
  expect(await relate(read, oidOf(999), oidOf(996))).toMatchObject({ ahead: [oidOf(999), oidOf(998), oidOf(997)], behind: [], bases: [{ oid: oidOf(996) }] });
  expect(reads).toBeLessThan(6);
});
