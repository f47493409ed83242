/** A partition log on this machine's disk, as a broker would hold it. */
import {
  DEFAULT_LOG_CONFIG,
  type LogConfig,
  type LogDirectory,
  openLogDirectory,
  type PartitionLog,
} from '@seatlog/commit-log';
import { computeBatchCrc } from '@seatlog/kafka-protocol';
import { nodeFileSystem, systemClock, systemRandom, systemTimers, systemTurns } from '@seatlog/runtime';

export const TOPIC = 'benchmark';
const NODE_ID = 1;
const CLUSTER_ID = 'c2VhdGxvZy1iZW5jaG1hcg';

export interface OpenedLog {
  readonly directory: LogDirectory;
  readonly log: PartitionLog;
}

export interface OpenOptions {
  readonly config?: Partial<LogConfig>;
  readonly tailCacheBytes?: number;
}

/** Opens the directory with its one partition, made when missing. The high watermark follows the log's end. */
export function openLog(path: string, options: OpenOptions = {}): OpenedLog {
  const config: LogConfig = { ...DEFAULT_LOG_CONFIG, fileDeleteDelayMs: 0, ...options.config };
  const directory = openLogDirectory({
    path,
    clusterId: CLUSTER_ID,
    nodeId: NODE_ID,
    fileSystem: nodeFileSystem,
    clock: systemClock,
    timers: systemTimers,
    turns: systemTurns,
    random: systemRandom,
    ...(options.tailCacheBytes === undefined ? {} : { limits: { tailCacheBytes: options.tailCacheBytes } }),
    listener: { logEndOffsetAdvanced: (log) => log.updateHighWatermark(log.logEndOffset) },
  });
  const log = directory.load(TOPIC, 0, config) ?? directory.create(TOPIC, 0, { topicId: null, config });
  return { directory, log };
}

export function closeLog({ directory }: OpenedLog): Promise<void> {
  return new Promise((resolve, reject) => {
    directory.close({ brokerEpoch: -1 }, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** Appends the batches within one turn and waits until all are in the log. */
export function appendAll(log: PartitionLog, batches: readonly Uint8Array[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let open = batches.length;
    for (const batch of batches) {
      const result = log.append(batch, 0, (error) => {
        if (error !== null) reject(error);
        open -= 1;
        if (open === 0) resolve();
      });
      if (!result.accepted) reject(result.error);
    }
  });
}

const FIRST_TIMESTAMP = 1_700_000_000_000;
const MAGIC_AT = 16;

/** Appends that many MiB, with timestamps that rise from batch to batch; if asked for, all of one idempotent producer. */
export async function fill(
  log: PartitionLog,
  mebibytes: number,
  batchBytes: number,
  idempotent = false,
): Promise<void> {
  const perMebibyte = (1024 * 1024) / batchBytes;
  for (let written = 0; written < mebibytes; written += 1) {
    const first = FIRST_TIMESTAMP + written * perMebibyte;
    const batches = Array.from({ length: perMebibyte }, (_, place) => fillerBatch(batchBytes, first + place));
    if (idempotent) {
      for (const [place, batch] of batches.entries()) {
        giveProducer(batch, (written * perMebibyte + place) * recordsIn(batchBytes));
      }
    }
    await appendAll(log, batches);
  }
}

/** A batch of that size with one offset for each KiB and a true CRC over zeros. */
export function fillerBatch(size: number, timestamp = FIRST_TIMESTAMP): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setInt32(8, size - 12);
  view.setInt8(MAGIC_AT, 2);
  view.setInt16(21, 0);
  view.setInt32(23, recordsIn(size) - 1);
  view.setBigInt64(27, BigInt(timestamp));
  view.setBigInt64(35, BigInt(timestamp));
  view.setBigInt64(43, -1n);
  view.setInt16(51, -1);
  view.setInt32(53, -1);
  view.setInt32(57, recordsIn(size));
  view.setUint32(17, computeBatchCrc(bytes));
  return bytes;
}

function recordsIn(batchBytes: number): number {
  return Math.max(1, batchBytes >> 10);
}

function giveProducer(batch: Uint8Array, baseSequence: number): void {
  const view = new DataView(batch.buffer);
  view.setBigInt64(43, 1n);
  view.setInt16(51, 0);
  view.setInt32(53, baseSequence);
  view.setUint32(17, computeBatchCrc(batch));
}
