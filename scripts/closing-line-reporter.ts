// Prints one line with the counts when a test run ends, for machines that read the last line.
import type { Reporter, TestModule } from 'vitest/node';

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const testModule of modules) {
      const states = [...testModule.children.allTests()].map((test) => test.result().state);
      for (const state of states) counts[state === 'pending' ? 'failed' : state] += 1;
      // A module that could not be loaded has no tests of its own to fail.
      if (testModule.state() === 'failed' && !states.includes('failed')) counts.failed += 1;
    }
    // After the default reporter's summary, which is written in the same turn.
    setImmediate(() => {
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    });
  }
}
