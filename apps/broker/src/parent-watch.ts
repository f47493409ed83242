/** Notices that the process which started this one is gone, however it went. */
import type { Cancel, Timers } from '@seatlog/runtime';

const CHECK_INTERVAL_MS = 500;

export interface ParentWatchOptions {
  readonly parentId: number;
  readonly timers: Timers;
  readonly isAlive: (processId: number) => boolean;
  readonly gone: () => void;
}

export function watchParent({ parentId, timers, isAlive, gone }: ParentWatchOptions): Cancel {
  let cancel: Cancel;
  const check = (): void => {
    if (isAlive(parentId)) cancel = timers.schedule(CHECK_INTERVAL_MS, check);
    else gone();
  };
  check();
  return () => cancel?.();
}

/** Signal 0 asks without sending; a process that is not ours to signal is alive all the same. */
export function isProcessAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
