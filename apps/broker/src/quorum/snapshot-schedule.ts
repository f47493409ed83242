/**
 * When a node writes a snapshot of its metadata: after so many bytes of committed log, or after so long a time with
 * anything committed that no snapshot holds.
 */
import type { Cancel, Timers } from '@seatlog/runtime';
import type { CommittedMetadata } from './committed-metadata.ts';
import type { MetadataLog } from './metadata-log.ts';

export interface SnapshotPolicy {
  /** `metadata.log.max.record.bytes.between.snapshots`. */
  readonly maxBytes: number;
  /** `metadata.log.max.snapshot.interval.ms`; 0: however long it takes. */
  readonly maxIntervalMs: number;
}

export class SnapshotSchedule {
  readonly #policy: SnapshotPolicy;
  readonly #committed: CommittedMetadata;
  readonly #metadataLog: MetadataLog;
  readonly #timers: Timers;
  #cancel: Cancel | null = null;
  #isClosed = false;

  constructor(
    policy: SnapshotPolicy,
    committed: CommittedMetadata,
    metadataLog: MetadataLog,
    { timers }: { readonly timers: Timers },
  ) {
    this.#policy = policy;
    this.#committed = committed;
    this.#metadataLog = metadataLog;
    this.#timers = timers;
  }

  /** More of the log was committed. */
  committed(): void {
    const { maxBytes, maxIntervalMs } = this.#policy;
    if (this.#committed.bytesSinceSnapshot >= maxBytes) return this.#write();
    if (maxIntervalMs === 0 || this.#cancel !== null || this.#committed.bytesSinceSnapshot === 0) return;
    this.#cancel = this.#timers.schedule(maxIntervalMs, () => this.#write());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #write(): void {
    if (this.#isClosed || this.#metadataLog.isWritingSnapshot) return;
    this.#cancel?.();
    this.#cancel = null;
    this.#committed.snapshotBegan();
    this.#metadataLog.writeSnapshotOf(this.#committed.image, this.#committed.lastTimestamp);
  }
}
