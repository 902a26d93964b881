import { execute } from '../../src/memory/execute.ts';
import { MemoryModel } from '../support/memory-model.ts';
import { differentialSuite } from './differential-suite.ts';

differentialSuite('the model', async () => {
  const memory = new MemoryModel();
  return {
    execute: (input) => execute(memory, input),
    snapshot: async () => memory.snapshot(),
    close: async () => {},
  };
});
