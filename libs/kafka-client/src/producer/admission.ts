/**
 * The line in front of the buffer: who comes while a topic's metadata is missing or the buffer is full waits here, one line
 * for each topic, first come first served, for at most `maxBlockMs`.
 */
import type { KafkaClientError } from '../errors.ts';
import type { Cancel, Timers } from '../ports.ts';

export interface AdmissionJob {
  /** Goes as far as it can; true when it is through. */
  proceed(): boolean;
  /** It waited too long, or the topic can never be known, or the producer closes: what is left of it fails. */
  giveUp(error: KafkaClientError): void;
}

interface Waiting {
  readonly job: AdmissionJob;
  readonly cancelTimer: Cancel;
  readonly finished: (() => void)[];
}

export class Admission {
  readonly #timers: Timers;
  readonly #maxBlockMs: number;
  readonly #late: (topic: string) => KafkaClientError;
  readonly #lines = new Map<string, Waiting[]>();
  #admitting = false;

  constructor(timers: Timers, maxBlockMs: number, late: (topic: string) => KafkaClientError) {
    this.#timers = timers;
    this.#maxBlockMs = maxBlockMs;
    this.#late = late;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  get topics(): readonly string[] {
    return [...this.#lines.keys()];
  }

  hasLine(topic: string): boolean {
    return this.#lines.has(topic);
  }

  /** Queues the job up. The result takes it out again, for one who gives up by himself; false if it is through already. */
  join(topic: string, job: AdmissionJob): () => boolean {
    const waiting: Waiting = {
      job,
      cancelTimer: this.#timers.schedule(this.#maxBlockMs, () => {
        if (this.#leave(topic, waiting)) job.giveUp(this.#late(topic));
      }),
      finished: [],
    };
    const line = this.#lines.get(topic);
    if (line === undefined) this.#lines.set(topic, [waiting]);
    else line.push(waiting);
    return () => this.#leave(topic, waiting);
  }

  /** Lets in whom it can. `mayEnter` tells whether a topic's next record could be taken right now. */
  admit(mayEnter: (topic: string) => boolean): void {
    if (this.#admitting) return;
    this.#admitting = true;
    try {
      for (const [topic, line] of Array.from(this.#lines)) {
        for (let head = line[0]; head !== undefined && mayEnter(topic); head = line[0]) {
          if (!head.job.proceed()) break;
          this.#leave(topic, head);
        }
      }
    } finally {
      this.#admitting = false;
    }
  }

  /** Fails all who wait for a topic. */
  refuse(topic: string, error: KafkaClientError): void {
    for (const waiting of this.#lines.get(topic)?.slice() ?? []) {
      if (this.#leave(topic, waiting)) waiting.job.giveUp(error);
    }
  }

  /** Resolves when all who wait now have been let in or have failed. */
  async settled(): Promise<void> {
    const all = [...this.#lines.values()].flat();
    await Promise.all(all.map((waiting) => new Promise<void>((resolve) => waiting.finished.push(resolve))));
  }

  #leave(topic: string, waiting: Waiting): boolean {
    const line = this.#lines.get(topic);
    const place = line?.indexOf(waiting) ?? -1;
    if (line === undefined || place < 0) return false;
    line.splice(place, 1);
    if (line.length === 0) this.#lines.delete(topic);
    waiting.cancelTimer();
    for (const tell of waiting.finished) tell();
    return true;
  }
}
