/** What was typed cannot be done, and the message says what can. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
