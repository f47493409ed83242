/** A command cannot go on, and its message says all that the user needs: no stack trace goes with it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
