/**
 * Tests run as CommonJS: jest's ES module support is still experimental. ts-jest only strips the types; `npm run typecheck` checks them.
 * `SLOW=1` draws more cases in every test that draws them, and gives each test more time.
 *
 * Node 20 cannot read this file by itself; the loader is named here, later versions of Node do without it.
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';

const slow = process.env['SLOW'] === '1';

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  setupFiles: ['<rootDir>/test/support/property-runs.ts'],
  testTimeout: slow ? 900_000 : 60_000,
  maxWorkers: 2,
  // cborg is published as an ES module only: it is found by its file and transformed like our own sources.
  moduleNameMapper: { '^cborg$': '<rootDir>/node_modules/cborg/cborg.js' },
  transformIgnorePatterns: ['/node_modules/(?!cborg/)'],
  transform: {
    '^.+\\.[jt]s$': [
      'ts-jest',
      {
        // Laid over tsconfig.json.
        tsconfig: { module: 'commonjs', moduleResolution: 'bundler', verbatimModuleSyntax: false, rootDir: '.' },
      },
    ],
  },
} satisfies Config;
