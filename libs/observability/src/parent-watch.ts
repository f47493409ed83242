/**
 * Ends a child whose parent was killed. A parent that dies by SIGKILL tells nobody, and its children would run on as
 * orphans; so a child that is given its parent's process id looks every half second whether that process is still there.
 */
const INTERVAL_MS = 500;

export interface ParentWatchOptions {
  /** Usually `process.env.SEATLOG_PARENT_PID`; nothing is watched if it is absent. */
  readonly parentPid: number | undefined;
  readonly onGone: () => void;
  readonly intervalMs?: number;
}

/** Gives a function that ends the watch. */
export function watchParent(options: ParentWatchOptions): () => void {
  const { parentPid, onGone } = options;
  if (parentPid === undefined) return () => {};
  // A direct parent that nobody has reaped yet still answers to its id; that its children were given away shows at once.
  const isDirectParent = process.ppid === parentPid;
  const timer = setInterval(() => {
    if (isDirectParent ? process.ppid === parentPid : isRunning(parentPid)) return;
    clearInterval(timer);
    onGone();
  }, options.intervalMs ?? INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
