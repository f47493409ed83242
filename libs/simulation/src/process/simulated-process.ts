/**
 * A process as signals see it, with a clock of its own. While it is stopped (SIGSTOP) what comes to it waits and its
 * timers do not run; killed (SIGKILL) it is gone with all that was on its way to it.
 *
 *     dead ──start──▶ running ──stop──▶ stopped ──continue──▶ running
 *     running, stopped ──kill──▶ dead
 */
import type { Moment } from '@seatlog/replication';
import type { EventQueue, ScheduledEvent } from '../schedule/event-queue.ts';

export type ProcessState = 'running' | 'stopped' | 'dead';

/** Cancels something scheduled; harmless afterwards. */
export type Cancel = () => void;

export class SimulatedProcess {
  readonly node: number;
  readonly queue: EventQueue;
  /** How fast its clock runs; 1 is right. */
  clockRate = 1;
  /** What was added to its wall clock by operators and time servers. */
  wallOffsetMs = 1_700_000_000_000;
  #state: ProcessState = 'dead';
  #incarnation = 0;
  #inbox: { readonly label: string; readonly action: () => void }[] = [];

  constructor(node: number, queue: EventQueue) {
    this.node = node;
    this.queue = queue;
  }

  get state(): ProcessState {
    return this.#state;
  }

  get incarnation(): number {
    return this.#incarnation;
  }

  get moment(): Moment {
    const monotonic = this.queue.now * this.clockRate;
    return { monotonic, now: monotonic + this.wallOffsetMs };
  }

  start(): void {
    this.#state = 'running';
    this.#incarnation += 1;
    this.#inbox = [];
  }

  stop(): void {
    if (this.#state === 'running') this.#state = 'stopped';
  }

  continue(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'running';
    // One after another, as what they are: events of this process.
    for (const { label, action } of this.#inbox.splice(0)) this.schedule(0, label, action);
  }

  kill(): void {
    this.#state = 'dead';
    this.#inbox = [];
  }

  /** What runs in one incarnation only, this one unless another is named, whenever it is called. */
  bound(label: string, action: () => void, incarnation: number = this.#incarnation): () => void {
    return () => {
      if (incarnation !== this.#incarnation || this.#state === 'dead') return;
      if (this.#state === 'stopped') this.#inbox.push({ label, action });
      else action();
    };
  }

  /** After a delay on its own clock. */
  schedule(delayMs: number, label: string, action: () => void): ScheduledEvent {
    return this.queue.schedule(delayMs / this.clockRate, label, this.node, this.bound(label, action));
  }

  every(intervalMs: number, label: string, action: () => void): void {
    this.schedule(intervalMs, label, () => {
      action();
      this.every(intervalMs, label, action);
    });
  }
}
