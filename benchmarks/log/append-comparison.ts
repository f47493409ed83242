/** Appends through a partition log, beside the bare system calls for the same bytes. */
import * as fs from 'node:fs';
import type { PartitionLog } from '@seatlog/commit-log';
import { appendAll, fillerBatch, openLog, type OpenedLog } from './log-under-test.ts';
import type { Comparison, Subject } from './measured-rounds.ts';

const KIB = 1024;
/** Kafka's default: few rolls, if any, fall into the measured time. */
const SEGMENT_BYTES = 1024 * 1024 * KIB;

export interface AppendShape {
  readonly batchBytes: number;
  readonly batchesPerTurn: number;
  /** Acknowledged when in the page cache, or only when synced. */
  readonly durability: 'page cache' | 'fdatasync before ack';
}

export interface PreparedComparison {
  readonly comparison: Comparison;
  readonly log: OpenedLog;
  /** Lets go of files that are none of the log's. */
  readonly dispose: () => void;
}

export function appendComparison(directory: string, shape: AppendShape): PreparedComparison {
  const { batchBytes, batchesPerTurn, durability } = shape;
  const synced = durability === 'fdatasync before ack';
  const batches = Array.from({ length: batchesPerTurn }, () => fillerBatch(batchBytes));
  const name = `${batchBytes}-${batchesPerTurn}-${synced ? 'synced' : 'cached'}`;
  const opened = openLog(`${directory}/append-${name}`, {
    config: {
      segmentBytes: SEGMENT_BYTES,
      retentionBytes: SEGMENT_BYTES,
      retentionMs: -1,
      flushMessages: synced ? 1 : Number.POSITIVE_INFINITY,
    },
  });
  const raw = new RotatingFile(`${directory}/raw-${name}`, SEGMENT_BYTES);
  return {
    comparison: {
      title: `append ${batchesPerTurn} x ${batchBytes / KIB} KiB a turn`,
      bytesPerCall: batchBytes * batchesPerTurn,
      subjects: [logSubject(opened.log, batches), ...rawSubjects(raw, batches, synced)].map((subject) => ({
        ...subject,
        durability,
      })),
    },
    log: opened,
    dispose: () => raw.remove(),
  };
}

function logSubject(log: PartitionLog, batches: readonly Uint8Array[]): Work {
  let appended = 0;
  return {
    name: 'partition log',
    work: async () => {
      await appendAll(log, batches);
      appended += batches.length;
      if (appended % RETENTION_EVERY === 0) log.applyRetention(Date.now());
      return log.logEndOffset;
    },
  };
}

/** Batches between two runs of retention, which keeps the disk from filling. */
const RETENTION_EVERY = 4096;

type Work = Omit<Subject, 'durability'>;

function rawSubjects(file: RotatingFile, batches: readonly Uint8Array[], synced: boolean): Work[] {
  if (synced) {
    return [{ name: 'writevSync + fdatasync (pool)', work: () => file.writeAndSync(batches) }];
  }
  return [
    { name: 'writevSync, a turn each', work: () => file.writeInTurn(batches) },
    { name: 'writev in the pool', work: () => file.writeInPool(batches) },
    { name: 'writevSync alone', work: () => file.write(batches) },
  ];
}

/** Written from its beginning to a size, then begun anew, so that pages are always fresh. */
class RotatingFile {
  readonly #path: string;
  readonly #limit: number;
  #descriptor: number;
  #position = 0;

  constructor(path: string, limit: number) {
    this.#path = path;
    this.#limit = limit;
    this.#descriptor = fs.openSync(path, 'w');
  }

  write(chunks: readonly Uint8Array[]): number {
    if (this.#position > this.#limit) this.#rotate();
    this.#position += fs.writevSync(this.#descriptor, chunks, this.#position);
    return this.#position;
  }

  /** What a log does as well: it waits for the end of the turn. */
  writeInTurn(chunks: readonly Uint8Array[]): Promise<number> {
    return new Promise((resolve) => setImmediate(() => resolve(this.write(chunks))));
  }

  writeInPool(chunks: readonly Uint8Array[]): Promise<number> {
    if (this.#position > this.#limit) this.#rotate();
    return new Promise((resolve, reject) => {
      fs.writev(this.#descriptor, chunks, this.#position, (error, written) => {
        this.#position += written;
        if (error === null) resolve(this.#position);
        else reject(error);
      });
    });
  }

  writeAndSync(chunks: readonly Uint8Array[]): Promise<number> {
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        this.write(chunks);
        fs.fdatasync(this.#descriptor, (error) => (error === null ? resolve(this.#position) : reject(error)));
      });
    });
  }

  remove(): void {
    fs.closeSync(this.#descriptor);
    fs.unlinkSync(this.#path);
  }

  /** A full file is synced in the background and removed, as the log's segments are. */
  #rotate(): void {
    const full = this.#descriptor;
    fs.fdatasync(full, () => fs.close(full));
    fs.unlinkSync(this.#path);
    this.#descriptor = fs.openSync(this.#path, 'w');
    this.#position = 0;
  }
}
