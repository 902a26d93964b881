/**
 * Everything that continuous integration runs: each step in turn, none skipped because an earlier one failed.
 * Ends with one line that counts the tests and the steps that are not tests.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.chdir(`${import.meta.dirname}/..`);
const count = { passed: 0, failed: 0, skipped: 0 };

for (const step of ['lint', 'typecheck', 'build']) runStep(step);
runTests();
runStep('lint:package');

const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
process.exitCode = count.failed > 0 ? 1 : 0;

/** @param {string} name of an npm script */
function runStep(name) {
  console.log(`\n== ${name}`);
  const passed = run('npm', ['run', '--silent', name]);
  if (!passed) console.log(`${name} failed`);
  count[passed ? 'passed' : 'failed'] += 1;
}

/** The whole suite in its quick form; `npm run test:slow` is for the days before a release. */
function runTests() {
  console.log('\n== test');
  const folder = mkdtempSync(join(tmpdir(), 'memgit-check-'));
  const report = join(folder, 'jest.json');
  const passed = run('npm', ['run', '--silent', 'test', '--', '--ci', '--json', `--outputFile=${report}`]);
  const found = readReport(report);
  rmSync(folder, { recursive: true });
  count.passed += found.passed;
  // A run that fails without naming a test, because the build or jest itself broke, is a failure too.
  count.failed += passed ? found.failed : Math.max(found.failed, 1);
  count.skipped += found.skipped;
}

/** @param {string} file */
function readReport(file) {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0 };
  /** @type {Record<'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites' | 'numPendingTests' | 'numTodoTests', number>} */
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}
