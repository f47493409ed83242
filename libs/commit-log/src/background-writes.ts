/**
 * Small files that many logs replace in the background, a few at a time: when hundreds of partitions get a leader at once,
 * what others sync meanwhile does not have to wait behind all of them.
 */
export class BackgroundWrites {
  readonly #atOnce: number;
  #running = 0;
  readonly #waiting: ((done: () => void) => void)[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Begins the write at once, or when its turn comes, in the order of calls. It tells, once, when it is over. */
  run(write: (done: () => void) => void): void {
    if (this.#running >= this.#atOnce) {
      this.#waiting.push(write);
      return;
    }
    this.#running += 1;
    write(() => this.#next());
  }

  #next(): void {
    this.#running -= 1;
    const write = this.#waiting.shift();
    if (write !== undefined) this.run(write);
  }
}
