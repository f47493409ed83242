/**
 * What happened, as one number and, if asked for, as lines.
 *
 * Every event and every change worth telling goes into the hash, whether or not lines are written: two runs of one
 * seed are the same run exactly if their hashes are equal.
 */
export type TraceLine = (line: string) => void;

export class Trace {
  readonly #write: TraceLine | null;
  readonly #labels = new Map<string, number>();
  #low = 0x811c9dc5 | 0;
  #high = 0x2545f491 | 0;

  constructor(write: TraceLine | null = null) {
    this.#write = write;
  }

  /** Sixteen hexadecimal digits. */
  get hash(): string {
    return hex(this.#high) + hex(this.#low);
  }

  get isWritten(): boolean {
    return this.#write !== null;
  }

  /** One thing at one node. `first` and `second` say which of its kind. */
  note(at: number, label: string, node: number, first = 0, second = 0): void {
    this.#mix(at * 1024);
    this.#mix(this.#number(label));
    this.#mix(node);
    this.#mix(first);
    this.#mix(second);
  }

  /** For people only; `text` is made if lines are written. */
  tell(at: number, node: number, text: () => string): void {
    this.#write?.(`${at.toFixed(3).padStart(12)} ${String(node).padStart(4)}  ${text()}`);
  }

  #mix(value: number): void {
    const word = value | 0;
    this.#low = Math.imul(this.#low ^ word, 0x01000193);
    this.#high = Math.imul(this.#high ^ (this.#low >>> 15) ^ word, 0x85ebca6b);
  }

  #number(label: string): number {
    let number = this.#labels.get(label);
    if (number === undefined) {
      number = this.#labels.size + 1;
      this.#labels.set(label, number);
    }
    return number;
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
