/**
 * A history: everything that processes did to a log and saw of it, in the order in which it was recorded.
 *
 * Values are numbers, each sent once in the whole history; so a value tells which send it came from. Every operation is
 * one transaction; a plain send and a plain poll are operations of one action.
 */

/** `topic-partition`. */
export type PartitionName = string;

/** `ok`: it took effect. `failed`: it surely did not. `unknown`: nobody knows. */
export type Outcome = 'ok' | 'failed' | 'unknown';

export type PolledRecord = readonly [offset: number, value: number];

export interface SendAction {
  readonly kind: 'send';
  readonly partition: PartitionName;
  readonly value: number;
  /** What the producer was told; null when it was told nothing. */
  readonly offset: number | null;
}

export interface PollAction {
  readonly kind: 'poll';
  readonly partition: PartitionName;
  /** In the order in which they came. */
  readonly records: readonly PolledRecord[];
}

export type Action = SendAction | PollAction;

export interface Operation {
  readonly kind: 'operation';
  readonly process: string;
  /** Places in the order of all beginnings and ends. */
  readonly began: number;
  readonly ended: number;
  readonly outcome: Outcome;
  readonly actions: readonly Action[];
}

/** A consumer was moved on purpose: by a rebalance, or by a seek. What it polls next may lie anywhere. */
export interface Repositioning {
  readonly kind: 'repositioning';
  readonly process: string;
  readonly began: number;
  /** Null: all of them. */
  readonly partitions: readonly PartitionName[] | null;
}

export type Entry = Operation | Repositioning;

/** Entries by `began`, rising. */
export type History = readonly Entry[];
