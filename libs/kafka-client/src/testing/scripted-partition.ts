/** One partition of the scripted cluster: a log with Kafka's rules for idempotent producers. */
import {
  batchBaseSequence,
  batchPartitionLeaderEpoch,
  batchProducerEpoch,
  batchProducerId,
  batchRecordCount,
  checkBatch,
  decodeRecords,
  ErrorCode,
  stampBaseOffset,
  stampLeaderEpoch,
} from '@seatlog/kafka-protocol';

interface StoredBatch {
  readonly baseOffset: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

interface ProducerState {
  epoch: number;
  /** The latest first; five at most. */
  batches: { readonly first: number; readonly last: number; readonly baseOffset: number }[];
}

const SEQUENCES = 0x8000_0000;

export class ScriptedPartition {
  leader: number;
  /** A follower in each of these racks, as the leader would tell consumers; it has all that the leader has, up to its end. */
  readonly replicaInRack = new Map<string, { readonly node: number; end: number }>();
  leaderEpoch = 0;
  logStartOffset = 0;
  maxBatchBytes = 1_048_588;
  readonly batches: StoredBatch[] = [];
  readonly #producers = new Map<number, ProducerState>();

  constructor(leader: number) {
    this.leader = leader;
  }

  get endOffset(): number {
    const last = this.batches.at(-1);
    return last === undefined ? this.logStartOffset : last.baseOffset + last.count;
  }

  /** Where the next epoch begins, or the end. */
  endOfEpoch(epoch: number): number {
    const next = this.batches.find(({ bytes }) => batchPartitionLeaderEpoch(bytes) > epoch);
    return next?.baseOffset ?? this.endOffset;
  }

  moveTo(leader: number): void {
    this.leader = leader;
    this.leaderEpoch += 1;
  }

  append(sent: Uint8Array): { readonly errorCode: number; readonly baseOffset: number } {
    const problem = checkBatch(sent, {
      maxBatchBytes: this.maxBatchBytes,
      allowZstd: true,
      requireKeys: false,
    });
    if (problem !== null) return { errorCode: problem.errorCode, baseOffset: -1 };
    const count = batchRecordCount(sent);
    const known = this.#checkSequence(sent, count);
    if (known !== null) return known;
    const bytes = Uint8Array.from(sent);
    const baseOffset = this.endOffset;
    stampBaseOffset(bytes, 0, baseOffset);
    stampLeaderEpoch(bytes, 0, this.leaderEpoch);
    this.batches.push({ baseOffset, count, bytes });
    this.#remember(sent, count, baseOffset);
    return { errorCode: ErrorCode.NONE, baseOffset };
  }

  /** As after the retention of all that a producer wrote. */
  forgetProducers(): void {
    this.#producers.clear();
  }

  get values(): string[] {
    return this.batches.flatMap(({ bytes }) =>
      decodeRecords(bytes).map(({ value }) => (value === null ? '' : Buffer.from(value).toString())),
    );
  }

  #checkSequence(sent: Uint8Array, count: number): { errorCode: number; baseOffset: number } | null {
    const producerId = batchProducerId(sent);
    const state = this.#producers.get(producerId);
    if (producerId < 0 || state === undefined) return null;
    const epoch = batchProducerEpoch(sent);
    const first = batchBaseSequence(sent);
    if (epoch < state.epoch) return { errorCode: ErrorCode.INVALID_PRODUCER_EPOCH, baseOffset: -1 };
    const outOfOrder = { errorCode: ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, baseOffset: -1 };
    if (epoch > state.epoch) return first === 0 ? null : outOfOrder;
    const last = (first + count - 1) % SEQUENCES;
    const same = state.batches.find((batch) => batch.first === first && batch.last === last);
    if (same !== undefined) return { errorCode: ErrorCode.NONE, baseOffset: same.baseOffset };
    const expected = ((state.batches[0]?.last ?? -1) + 1) % SEQUENCES;
    return first === expected ? null : outOfOrder;
  }

  #remember(sent: Uint8Array, count: number, baseOffset: number): void {
    const producerId = batchProducerId(sent);
    if (producerId < 0) return;
    const epoch = batchProducerEpoch(sent);
    const first = batchBaseSequence(sent);
    const batch = { first, last: (first + count - 1) % SEQUENCES, baseOffset };
    const state = this.#producers.get(producerId);
    if (state === undefined || state.epoch !== epoch)
      this.#producers.set(producerId, { epoch, batches: [batch] });
    else state.batches = [batch, ...state.batches].slice(0, 5);
  }
}
