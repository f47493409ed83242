/** Opens when every record that was buffered when it was made has been settled, one way or the other. */
import type { Delivery } from './deliveries.ts';

export class FlushLatch {
  readonly opened: Promise<void>;
  #records = 0;
  #open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Watches all records of a batch. */
  watch(recordCount: number): Delivery {
    this.#records += recordCount;
    return this.#part(0, recordCount);
  }

  /** Opens at once if there is nothing to wait for. */
  arm(): void {
    if (this.#records === 0) this.#open();
  }

  #part(at: number, count: number): Delivery {
    const settle = (): void => {
      this.#records -= count;
      if (this.#records === 0) this.#open();
    };
    return {
      at,
      count,
      written: settle,
      failed: settle,
      cut: (from, to) => this.#part(0, Math.min(to, at + count) - Math.max(from, at)),
    };
  }
}
