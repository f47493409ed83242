import { defineConfig } from 'vitest/config';

const exclude = ['**/node_modules/**', '**/dist/**'];

/** How long a condition is waited for: what comes at once on an idle machine may take seconds on a crowded one. */
const poll = { timeout: 60_000 };

/** One PostgreSQL and one Redis per run, started when the first test asks for them. */
const globalSetup = ['./libs/local-stack/src/vitest-global-setup.ts'];

export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    projects: [
      {
        // Beside the code, and the rules of the repository: what a developer runs all day.
        test: {
          name: 'unit',
          include: [
            'libs/*/src/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'tests/repository/**/*.test.ts',
            'load-tests/**/*.test.ts',
          ],
          exclude,
          globalSetup,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          expect: { poll },
        },
      },
      {
        // Whole processes: other people's clients, faults from outside, the system from end to end.
        test: {
          name: 'system',
          include: ['tests/**/*.test.ts'],
          exclude: [...exclude, 'tests/repository/**'],
          globalSetup,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: { poll },
          // Processes compete for the same two cores: one file at a time keeps deadlines meaningful.
          fileParallelism: false,
        },
      },
    ],
  },
});
