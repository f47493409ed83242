/**
 * A snapshot on its way from the leader: asked for chunk by chunk, each where the one before ended. A chunk that is not
 * the one asked for ends the download; the follower then fetches anew and is told what to take.
 */
import type { SnapshotId } from '../quorum/snapshot.ts';
import type { QuorumContext } from './quorum-context.ts';
import type { LogBatch } from './quorum-log.ts';

export interface SnapshotChunk {
  readonly snapshotId: SnapshotId;
  readonly size: number;
  readonly position: number;
  readonly unalignedRecords: Uint8Array | null;
}

export class SnapshotDownload<Batch extends LogBatch> {
  readonly id: SnapshotId;
  readonly #context: QuorumContext<Batch>;
  /** -1 until the first chunk has told it. */
  #sizeInBytes = -1;
  #position = 0;

  constructor(context: QuorumContext<Batch>, id: SnapshotId) {
    this.#context = context;
    this.id = id;
  }

  /** Where the next chunk begins. */
  get position(): number {
    return this.#position;
  }

  take(chunk: SnapshotChunk): 'more' | 'whole' | 'unfit' {
    const bytes = chunk.unalignedRecords ?? new Uint8Array(0);
    if (!this.#continues(chunk, bytes.length)) return 'unfit';
    if (this.#sizeInBytes < 0) {
      this.#sizeInBytes = chunk.size;
      this.#context.emit({ type: 'begin-snapshot', id: this.id, sizeInBytes: chunk.size });
    }
    this.#context.emit({ type: 'write-snapshot', id: this.id, position: this.#position, bytes });
    this.#position += bytes.length;
    return this.#position === this.#sizeInBytes ? 'whole' : 'more';
  }

  /** Given up before it was whole. */
  discard(): void {
    if (this.#sizeInBytes >= 0) this.#context.emit({ type: 'discard-snapshot', id: this.id });
  }

  #continues({ snapshotId, size, position }: SnapshotChunk, length: number): boolean {
    const { maxSnapshotBytes } = this.#context.settings.limits;
    return (
      snapshotId.endOffset === this.id.endOffset &&
      snapshotId.epoch === this.id.epoch &&
      position === this.#position &&
      length > 0 &&
      position + length <= size &&
      size <= maxSnapshotBytes &&
      (this.#sizeInBytes < 0 || size === this.#sizeInBytes)
    );
  }
}
