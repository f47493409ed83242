/** The protocol with one rule undone. */
export interface Mutant {
  readonly id: string;
  /** The rule that is undone: its id or name, and what it says. */
  readonly rule: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The scenario that kills it, where seeds are not expected to. */
  readonly scenario?: string;
}
