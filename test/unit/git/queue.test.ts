import { Queue } from '../../../src/git/queue.ts';

test('jobs run one at a time in the order they came, failing ones too', async () => {
  const queue = new Queue();
  const events: string[] = [];
  const job = (name: string) => async (): Promise<string> => {
    events.push(`begin ${name}`);
    await new Promise(setImmediate);
    events.push(`end ${name}`);
    if (name === 'b') throw new RangeError(name);
    return name;
  };
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run(job(name), undefined)));
  expect(events).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('a job given up before its turn is refused at once and never begun', async () => {
  const queue = new Queue();
  const controller = new AbortController();
  let finish = (): void => undefined;
  const first = queue.run(() => new Promise<void>((resolve) => { finish = resolve; }), undefined);
  const begun = jest.fn(() => Promise.resolve());
  const second = queue.run(begun, controller.signal);
  controller.abort();
  await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
  finish();
  await first;
  await queue.run(async () => undefined, undefined);
  expect(begun).not.toHaveBeenCalled();
});
