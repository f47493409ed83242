/**
 * The committed part of the metadata log as an image, told to whoever lives by it.
 *
 * `advanceTo` follows the quorum's high watermark: it reads what was committed since, folds it into the next image,
 * brings this broker's replicas in line with it once they are attached, and then tells the listeners. A snapshot that
 * came from the leader takes the place of all that it stands for in the same way.
 */
import {
  type ClusterImage,
  decodeMetadataBatches,
  emptyImage,
  type LoadedSnapshot,
  MetadataError,
  MetadataReplay,
} from '@seatlog/metadata-quorum';
import type { ImageListener } from '../metadata/metadata-service.ts';
import type { MetadataLog } from './metadata-log.ts';

/** Bytes of the log that are read at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;

export class CommittedMetadata {
  readonly #log: MetadataLog;
  readonly #listeners = new Set<ImageListener>();
  #replay: MetadataReplay;
  #apply: ImageListener | null = null;
  #image: ClusterImage;
  #bytesSinceSnapshot = 0;

  constructor(log: MetadataLog) {
    this.#log = log;
    const snapshot = log.takeLoadedSnapshot();
    this.#replay = new MetadataReplay(snapshot?.image, snapshot?.lastTimestamp);
    this.#image = this.#replay.image;
  }

  get image(): ClusterImage {
    return this.#image;
  }

  /** The first offset that is not looked at yet. */
  get nextOffset(): number {
    return this.#replay.nextOffset;
  }

  get lastTimestamp(): number {
    return this.#replay.lastTimestamp;
  }

  /** Bytes of the log that are in the image and in no snapshot of this node's. */
  get bytesSinceSnapshot(): number {
    return this.#bytesSinceSnapshot;
  }

  snapshotBegan(): void {
    this.#bytesSinceSnapshot = 0;
  }

  subscribe(listener: ImageListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** From now on images are applied before listeners hear of them; the one that stands is applied at once. */
  attach(apply: ImageListener): void {
    this.#apply = apply;
    apply(this.#image, emptyImage);
  }

  /** Throws `MetadataError` if the log does not fit the image, and what `apply` throws. */
  advanceTo(highWatermark: number): void {
    while (this.#replay.nextOffset < highWatermark) {
      const before = this.#replay.nextOffset;
      const read = this.#log.read(before, CHUNK_BYTES, highWatermark);
      for (const bytes of read.records) {
        for (const batch of decodeMetadataBatches(bytes)) this.#replay.apply(batch);
      }
      this.#bytesSinceSnapshot += read.sizeBytes;
      read.release();
      if (this.#replay.nextOffset === before) {
        throw new MetadataError('MALFORMED_RECORD', `the metadata log cannot be read at offset ${before}`);
      }
    }
    this.#publish();
  }

  /** A snapshot of the leader's: what it holds is committed. */
  replaceBy({ image, lastTimestamp }: LoadedSnapshot): void {
    if (image.lastOffset < this.#replay.nextOffset) return;
    this.#replay = new MetadataReplay(image, lastTimestamp);
    this.#bytesSinceSnapshot = 0;
    this.#publish();
  }

  close(): void {
    this.#listeners.clear();
  }

  #publish(): void {
    const previous = this.#image;
    const { image } = this.#replay;
    if (image === previous) return;
    this.#image = image;
    this.#apply?.(image, previous);
    for (const listener of this.#listeners) listener(image, previous);
  }
}
