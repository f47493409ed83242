/**
 * Starts again what ends by itself or is killed: this is how a cluster manager would treat it, and the way to see for
 * oneself that nothing is lost. A process that keeps ending is given up, and with it the demo.
 */
import type { ManagedProcess, Stack } from '@seatlog/local-stack';

const MOST_RESTARTS = 5;

/** Resolves when a process could not be kept going. From `stopping` on, ends are what is wanted. */
export function supervise(stack: Stack, stopping: AbortSignal, say: (line: string) => void): Promise<void> {
  return Promise.race([...stack.processes.values()].map((process) => keepGoing(process, stopping, say)));
}

async function keepGoing(
  process: ManagedProcess,
  stopping: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  for (let restarts = 0; restarts < MOST_RESTARTS; restarts += 1) {
    const { code, signal } = await process.exited;
    if (stopping.aborted) return new Promise(() => undefined);
    say(
      `  ! ${process.name} ended (${signal ?? `code ${code}`}); starting it again. Log: ${process.logFile}`,
    );
    try {
      await process.restart();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      return;
    }
    say(`  ✓ ${process.name} is back`);
  }
  say(`  ✗ ${process.name} has ended ${MOST_RESTARTS} times. Its last lines:\n${process.logTail()}`);
}
