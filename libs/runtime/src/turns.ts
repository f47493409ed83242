/**
 * Turns of the event loop as an argument. What is deferred runs once everything that this turn brings in
 * has been handled, in the order of deferring; what it defers in turn waits for the turn after.
 */
export interface Turns {
  defer(action: () => void): void;
}

export const systemTurns: Turns = {
  defer(action) {
    setImmediate(action);
  },
};
