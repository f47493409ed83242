/** Something that must never happen has happened. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** Which promise is broken, in a few words: failures of one cause have the same. */
  readonly promise: string;

  constructor(promise: string, what: string) {
    super(`${promise}: ${what}`);
    this.promise = promise;
  }
}

export function violated(promise: string, what: string): never {
  throw new Violation(promise, what);
}
