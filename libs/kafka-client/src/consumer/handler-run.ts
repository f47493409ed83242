/**
 * Calls a handler for each record: records of one key (or one partition) in order, others beside each other up to a limit.
 * Commits the lowest offset below which all are finished, so that a crash repeats records but skips none.
 */
import { murmur2 } from '../producer/murmur2.ts';
import type { FetchedRecord } from './consumed-record.ts';
import type { FetchedBatch } from './fetched-batch.ts';
import type { RunOptions, TopicPartitionOffset } from './types.ts';

interface BatchSource {
  batches(options: { readonly signal?: AbortSignal }): AsyncIterableIterator<FetchedBatch>;
}

export async function runHandler(
  source: BatchSource,
  options: RunOptions,
  commit: (offsets: readonly TopicPartitionOffset[]) => Promise<void>,
): Promise<void> {
  const { signal } = options;
  for await (const batch of source.batches(signal === undefined ? {} : { signal })) {
    const outcome = await handleBatch(batch, options);
    if (outcome.finishedUpTo > batch.firstOffset && !batch.signal.aborted) {
      const { topic, partition } = batch;
      await commit([{ topic, partition, offset: outcome.finishedUpTo }]);
    }
    if (outcome.failure !== null) throw outcome.failure.cause;
  }
}

interface BatchOutcome {
  /** The next offset after the last record before which all are finished. */
  readonly finishedUpTo: number;
  readonly failure: { readonly cause: unknown } | null;
}

async function handleBatch(batch: FetchedBatch, options: RunOptions): Promise<BatchOutcome> {
  const { by, max } = options.concurrency ?? { by: 'partition', max: 1 };
  const lines = by === 'key' ? linesByKey(batch.records, Math.max(max, 1)) : [batch.records];
  const finished = new Set<number>();
  let failure: { readonly cause: unknown } | null = null;
  const work = async (line: readonly FetchedRecord[]): Promise<void> => {
    for (const record of line) {
      if (failure !== null || batch.signal.aborted) return;
      try {
        await options.handler(record, { signal: batch.signal });
        finished.add(record.offset);
      } catch (cause) {
        failure ??= { cause };
        return;
      }
    }
  };
  await Promise.all(lines.map(work));
  const firstOpen = batch.records.find(({ offset }) => !finished.has(offset));
  return { finishedUpTo: firstOpen?.offset ?? batch.nextOffset, failure };
}

/** As many lines as may run beside each other; a key is always in the same one, records without a key are spread. */
function linesByKey(records: readonly FetchedRecord[], count: number): FetchedRecord[][] {
  const lines: FetchedRecord[][] = Array.from({ length: count }, () => []);
  for (const record of records) {
    const key = record.keyBytes;
    const line = key === null ? record.offset % count : (murmur2(key) >>> 0) % count;
    lines[line]?.push(record);
  }
  return lines;
}
