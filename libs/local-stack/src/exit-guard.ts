/**
 * Ends all child processes on every way out of this process that can be noticed: normal exit, process.exit, an
 * uncaught error, SIGINT, SIGTERM, SIGHUP. (After a SIGKILL the process files do it at the next start, and our own
 * apps and brokers notice it by SEATLOG_PARENT_PID.)
 *
 * A signal is ours only if nobody else listens for it: a command that wants an ordered stop installs its own
 * listener, stops its stack, and exits; whatever is left then is ended here.
 */
import { processStartTime } from './process-identity.ts';

/** How long children may take to end by themselves while this process exits. */
export const EXIT_GRACE_MS = 3_000;
const LOOK_AGAIN_MS = 10;
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

const guarded = new Map<number, NodeJS.Signals>();
let installed = false;

/** Puts a child under guard; call what it returns once the child has ended. */
export function guard(pid: number, stopSignal: NodeJS.Signals): () => void {
  install();
  guarded.set(pid, stopSignal);
  return () => guarded.delete(pid);
}

function install(): void {
  if (installed) return;
  installed = true;
  process.on('exit', endAll);
  for (const [name, number] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, number][]) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + number);
    });
  }
}

/** Runs in the exit event, where nothing asynchronous happens any more: hence the blocking wait. */
function endAll(): void {
  for (const [pid, stopSignal] of guarded) {
    send(pid, stopSignal);
    send(pid, 'SIGCONT');
  }
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + EXIT_GRACE_MS;
  while (guarded.size > 0 && performance.now() < end) {
    for (const pid of guarded.keys()) if (processStartTime(pid) === undefined) guarded.delete(pid);
    if (guarded.size > 0) Atomics.wait(pause, 0, 0, LOOK_AGAIN_MS);
  }
  for (const pid of guarded.keys()) send(pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    guarded.delete(pid);
  }
}
