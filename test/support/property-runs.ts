/** Runs before every test file: how many cases a property draws when it does not say so itself. */
import fc from 'fast-check';

fc.configureGlobal({ numRuns: process.env['SLOW'] === '1' ? 1000 : 50 });
