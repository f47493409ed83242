/** What the command and its generator, a process of its own, tell each other. Plain data: it goes through a pipe as JSON. */
import type { SpikeSettings } from './spike-options.ts';

export interface GeneratorJob {
  readonly settings: SpikeSettings;
  readonly bookingApiUrl: string;
  readonly eventId: string;
  /** Every answer goes there, those of the warm-up as well. */
  readonly journalFile: string;
  /** Told apart from other runs on the same servers. */
  readonly runId: string;
}

/** Since the measurement began. */
export interface TallyFigures {
  /** Arrivals whose moment has come. */
  readonly offered: number;
  readonly started: number;
  readonly accepted: number;
  /** Seats of accepted orders. */
  readonly seats: number;
  /** By code. */
  readonly refused: Readonly<Record<string, number>>;
  /** No answer, or one that cannot be understood, by its cause. */
  readonly unanswered: Readonly<Record<string, number>>;
  readonly dropped: number;
  readonly underWay: number;
  readonly waiting: number;
}

export interface Progress {
  readonly section: 'warm-up' | 'measurement';
  /** Since this section began. */
  readonly elapsedMs: number;
  readonly tally: TallyFigures;
  /** Of accepted orders, so far. */
  readonly acceptP99Ms: number;
  /** Of accepted orders since the last message. */
  readonly latestAcceptP99Ms: number;
  readonly latenessP99Ms: number;
}

/** An accepted order whose state is asked for until it has ended. */
export interface SampledOrder {
  readonly orderId: string;
  readonly statusUrl: string;
  readonly userId: string;
  readonly idempotencyKey: string;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
}

export interface GeneratorResult {
  readonly tally: TallyFigures;
  /** Of the measurement, in milliseconds since the epoch; `endedAt` is that of the last answer. */
  readonly beganAt: number;
  readonly lastStartAt: number;
  readonly endedAt: number;
  /** Encoded histograms, all counted from the scheduled moment. */
  readonly accept: string;
  readonly refuse: string;
  /** How late due arrivals were noticed. */
  readonly lateness: string;
  /** How late they were started: lateness, and the wait for a connection. */
  readonly startDelay: string;
  /** CPU time of the generator, for the measurement. */
  readonly cpuSeconds: number;
}

export type GeneratorMessage =
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** The warm-up is over: what is counted from outside begins now. */
  | { readonly kind: 'measuring' }
  | { readonly kind: 'sample'; readonly order: SampledOrder }
  | { readonly kind: 'result'; readonly result: GeneratorResult }
  | { readonly kind: 'failed'; readonly why: string };
