/**
 * Snapshots of one node's metadata, in its process of the moment: those that it writes of what is committed, and those
 * that come from the leader piece by piece. Their bytes are the real ones.
 */
import {
  type ClusterImage,
  decodeSnapshot,
  emptyImage,
  encodeSnapshot,
  imageRecords,
  type Respond,
  type SnapshotId,
  snapshotId,
} from '@seatlog/metadata-quorum';
import { violated } from '../invariants/violation.ts';
import type { MetadataDisk } from './metadata-disk.ts';

const TIMESTAMP = 1_700_000_000_000;

export class MetadataSnapshots {
  readonly #disk: MetadataDisk;
  readonly #images: CommittedImages;
  #incoming: { readonly id: SnapshotId; readonly pieces: Uint8Array[] } | null = null;

  constructor(disk: MetadataDisk, images: CommittedImages) {
    this.#disk = disk;
    this.#images = images;
  }

  /** Of the snapshot on disk: what a process begins with. */
  image(): ClusterImage {
    const { snapshot } = this.#disk;
    if (snapshot === null) return emptyImage;
    return this.#images.checked(snapshot.id, decodeSnapshot(snapshot.bytes, snapshot.id).image);
  }

  /** In place once it is written. */
  write(image: ClusterImage): void {
    this.#disk.place({ id: snapshotId(image), bytes: Buffer.concat([...encodeSnapshot(image, TIMESTAMP)]) });
  }

  begin(id: SnapshotId): void {
    this.#incoming = { id, pieces: [] };
  }

  take(bytes: Uint8Array): void {
    this.#incoming?.pieces.push(bytes);
  }

  discard(): void {
    this.#incoming = null;
  }

  /** The last piece is there: puts it in place; false if it is not whole. */
  complete(): boolean {
    const incoming = this.#incoming;
    this.#incoming = null;
    if (incoming === null) return false;
    const { id, pieces } = incoming;
    const bytes = Buffer.concat(pieces);
    try {
      decodeSnapshot(bytes, id);
    } catch {
      return false;
    }
    this.#disk.place({ id, bytes });
    return true;
  }

  /** The answer with the piece that it is to hold. */
  withPiece(response: Respond): Respond {
    const { read, api, body } = response;
    const { snapshot } = this.#disk;
    if (read?.from !== 'snapshot' || api !== 'fetchSnapshot' || snapshot === null) return response;
    const unalignedRecords = snapshot.bytes.subarray(read.position, read.position + read.maxBytes);
    const topics = (body.topics ?? []).map((topic) => ({
      ...topic,
      partitions: (topic.partitions ?? []).map((partition) => ({ ...partition, unalignedRecords })),
    }));
    return { ...response, api, body: { ...body, topics }, read: null };
  }
}

/** All images that were ever committed, by the end of the log that they are of. */
export class CommittedImages {
  readonly #byEnd = new Map<number, ClusterImage>();

  note(image: ClusterImage): void {
    this.#byEnd.set(image.lastOffset + 1, image);
  }

  /** The image that was committed, which one from a snapshot must be equal to. */
  checked(id: SnapshotId, image: ClusterImage): ClusterImage {
    const known = this.#byEnd.get(id.endOffset);
    const isIt = known?.lastEpoch === id.epoch && written(known) === written(image);
    return isIt ? known : violated('a snapshot is what was committed', JSON.stringify(id));
  }
}

function written(image: ClusterImage): string {
  return JSON.stringify([...imageRecords(image)]);
}
