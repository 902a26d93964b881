import { Pauses } from '../../../src/history/pauses.ts';

test('a turn of the event loop is waited for after a long stretch, and not after a short one', async () => {
  let turns = 0;
  const pauses = new Pauses();
  setImmediate(() => (turns += 1));
  await pauses.whenDue();
  expect(turns).toBe(0);
  for (const started = performance.now(); performance.now() - started < 30; );
  await pauses.whenDue();
  expect(turns).toBe(1);
});
