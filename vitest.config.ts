import { defineConfig } from 'vitest/config';

const exclude = ['**/node_modules/**', '**/dist/**'];

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
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Whole processes: other people's clients, faults from outside, the system from end to end.
        test: {
          name: 'system',
          include: ['tests/**/*.test.ts'],
          exclude: [...exclude, 'tests/repository/**'],
          globalSetup,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // Processes compete for the same two cores: one file at a time keeps deadlines meaningful.
          fileParallelism: false,
        },
      },
    ],
  },
});
