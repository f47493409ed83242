/**
 * The one queue of events, on virtual time in milliseconds. What is due at the same moment runs in the order in which it
 * was scheduled, so that a run is given by its seed alone.
 */
import type { Trace } from './trace.ts';

/** Something that is to happen. */
export interface ScheduledEvent {
  readonly atMs: number;
  readonly order: number;
  readonly label: string;
  readonly node: number;
  /** Null once it has run or was cancelled. */
  action: (() => void) | null;
}

export class EventQueue {
  readonly trace: Trace;
  /** A binary heap by moment and order. */
  readonly #heap: ScheduledEvent[] = [];
  #now = 0;
  #order = 0;
  #count = 0;

  constructor(trace: Trace) {
    this.trace = trace;
  }

  get now(): number {
    return this.#now;
  }

  /** How many events have run. */
  get count(): number {
    return this.#count;
  }

  schedule(delayMs: number, label: string, node: number, action: () => void): ScheduledEvent {
    const atMs = this.#now + Math.max(0, delayMs);
    const event: ScheduledEvent = { atMs, order: this.#order++, label, node, action };
    this.#push(event);
    return event;
  }

  cancel(event: ScheduledEvent): void {
    event.action = null;
  }

  /** Runs the next event; false if there is none before the moment given. */
  runNext(untilMs: number = Number.POSITIVE_INFINITY): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > untilMs) return false;
      this.#pop();
      const { action } = next;
      if (action === null) continue;
      next.action = null;
      this.#now = next.atMs;
      this.#count += 1;
      this.trace.note(next.atMs, next.label, next.node);
      if (this.trace.isWritten) this.trace.tell(next.atMs, next.node, () => next.label);
      action();
      return true;
    }
  }

  /** Runs all that is due within the time given, and moves on to its end. */
  advance(milliseconds: number): void {
    const until = this.#now + milliseconds;
    while (this.runNext(until));
    this.#now = until;
  }

  #push(event: ScheduledEvent): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as ScheduledEvent;
      if (isBefore(above, event)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as ScheduledEvent;
    const size = heap.length;
    if (size === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      const right = child + 1;
      if (right < size && isBefore(heap[right] as ScheduledEvent, heap[child] as ScheduledEvent))
        child = right;
      const below = heap[child] as ScheduledEvent;
      if (isBefore(last, below)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(left: ScheduledEvent, right: ScheduledEvent): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}
