/**
 * What every controller decision gives back.
 *
 * A decision is pure: it looks at an image and says which records make its change true, and what to tell whoever
 * asked. It must run on an image that holds the records of all decisions before it, and its answer may be given only
 * once its records are committed. No records: nothing changes and the answer may be given at once.
 */
import type { MetadataRecord } from '../records/metadata-record.ts';

export interface Decision<Answer> {
  readonly records: readonly MetadataRecord[];
  readonly answer: Answer;
}

/** A refusal inside of a decision: one topic's, one resource's, one broker's. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly errorCode: number;

  constructor(errorCode: number, message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** Runs `action`; a refusal inside becomes what `refused` makes of it. Anything else thrown is a defect and goes on. */
export function orRefusal<Result>(action: () => Result, refused: (refusal: Refusal) => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof Refusal) return refused(error);
    throw error;
  }
}

/** What stands more than once in a list. */
export function repeated<Item>(items: readonly Item[]): ReadonlySet<Item> {
  const seen = new Set<Item>();
  const twice = new Set<Item>();
  for (const item of items) {
    if (seen.has(item)) twice.add(item);
    seen.add(item);
  }
  return twice;
}
