/** A queue whose head is taken in constant time, whatever its length. */
export class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get first(): Item | undefined {
    return this.#items[this.#head];
  }

  get last(): Item | undefined {
    return this.length === 0 ? undefined : this.#items[this.#items.length - 1];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head > COMPACT_AFTER && this.#head * 2 > this.#items.length) this.#compact();
    return item;
  }

  /** All items in order; the queue is empty afterwards. */
  drain(): Item[] {
    const items = this.#items.slice(this.#head);
    this.clear();
    return items;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}

/** Slots of taken items that are let stand before the rest moves up. */
const COMPACT_AFTER = 1024;
