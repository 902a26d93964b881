/** Lint is for what the type checker cannot see. Every rule that departs from the preset says why in one line. */
import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'fixtures/']),
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // TypeScript knows the globals, of node and of jest.
      'no-undef': 'off',
      // `bytes[i]!` inside a loop that counts to the length is how noUncheckedIndexedAccess is answered.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // process.env is read as process.env['NAME'], which the type checker does not ask for.
      '@typescript-eslint/dot-notation': 'off',
      // Numbers and booleans print the same everywhere; objects do not.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // `for (;;)` and `while (true)` are how retry loops read best.
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
      // `async` is part of an interface's promise (a rejection, never a throw) even where nothing is awaited.
      '@typescript-eslint/require-await': 'off',
      // `() => doIt()` in callbacks whose result nobody reads.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // `[...text]` counts code points, which is what the memory tool counts.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // Control characters are what some patterns look for: NUL in git objects, anything below space in paths.
      'no-control-regex': 'off',
      // `const { dropped, ...rest } = value` is how a field is left out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      eqeqeq: 'error',
      'object-shorthand': 'error',
      'prefer-template': 'error',
      // stdout and stderr belong to the command line, which is handed its streams.
      'no-console': 'error',
    },
  },
  {
    // These talk to the person who runs them.
    files: ['scripts/**', 'bench/**', 'examples/**'],
    rules: { 'no-console': 'off' },
  },
  {
    // The rule does not see the JSDoc types that plain JavaScript gives to what it parses.
    files: ['**/*.mjs'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      // jest's matchers and fakes are full of these, none of which hides a fault in a test.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      // Tests pass wrong types on purpose, and `expect.anything()` and its like are `any`.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
);
