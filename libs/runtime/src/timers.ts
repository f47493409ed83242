/** Takes back a scheduled action. Calling it twice, or after the action ran, does nothing. */
export type Cancel = () => void;

/** Delays as an argument. They follow monotonic time. */
export interface Timers {
  schedule(delayMs: number, action: () => void): Cancel;
}

/** The longest delay that Node's timers keep; beyond it they would fire at once. */
const LONGEST_NODE_DELAY_MS = 2 ** 31 - 1;

/** Node's timers, without their overflow: a delay of any length is waited for in full. */
export const systemTimers: Timers = {
  schedule(delayMs, action) {
    let timer: NodeJS.Timeout;
    const arm = (remainingMs: number): void => {
      const stretch = Math.min(remainingMs, LONGEST_NODE_DELAY_MS);
      timer = setTimeout(() => {
        if (remainingMs > stretch) arm(remainingMs - stretch);
        else action();
      }, stretch);
    };
    arm(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
};
