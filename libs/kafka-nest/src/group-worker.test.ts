import type { ConsumedBatch, ConsumedRound, Consumer, KafkaClient } from '@seatlog/kafka-client';
import { createLogger } from '@seatlog/observability';
import { defineTopic, string } from '@seatlog/kafka-client/topics';
import { describe, expect, it } from 'vitest';
import { GroupWorker } from './group-worker.ts';

const topic = defineTopic({ name: 'jobs', key: string, value: string });
type Topic = typeof topic;

/** Partitions of a group in memory: what was committed, and what there is to read. */
class Story {
  readonly done: string[] = [];
  readonly ends: readonly number[];
  readonly committed: number[];
  /** Of the consumer that runs: one for each partition. */
  losses: AbortController[] = [];
  consumers = 0;
  handle: (batches: readonly ConsumedBatch<Topic>[]) => Promise<void> | void = () => {};

  constructor(...ends: readonly number[]) {
    this.ends = ends;
    this.committed = ends.map(() => 0);
  }

  /** Runs until everything is committed or has been taken away. */
  async run(): Promise<void> {
    const client = { consumer: () => this.#consumer() } as unknown as Pick<KafkaClient, 'consumer'>;
    const worker = new GroupWorker<Topic>({
      client,
      consumer: { groupId: 'workers', topics: [topic] },
      handle: async (batches) => {
        this.done.push(`handle ${batches.map(spanOf).join(' ')}`);
        await this.handle(batches);
      },
      logger: createLogger({ service: 'test', level: 'silent' }),
      pause: () => Promise.resolve(),
    });
    const over = new Promise<void>((resolve) => {
      this.#over = resolve;
    });
    worker.start();
    await over;
    await worker.stop(1000);
  }

  #over: () => void = () => {};

  #consumer(): Consumer<Topic> {
    this.consumers += 1;
    this.losses = this.ends.map(() => new AbortController());
    const losses = this.losses;
    const rounds = this.#rounds(losses);
    const consumer = { rounds: () => rounds, [Symbol.asyncDispose]: () => Promise.resolve() };
    return consumer as unknown as Consumer<Topic>;
  }

  /** Each partition is read from its last commit on, two records at a time, and past what was given already. */
  async *#rounds(losses: readonly AbortController[]): AsyncGenerator<ConsumedRound<Topic>> {
    const positions = [...this.committed];
    for (;;) {
      await Promise.resolve();
      const open = this.ends.flatMap((end, partition) => {
        const firstOffset = positions[partition] ?? 0;
        if (firstOffset >= end || losses[partition]?.signal.aborted === true) return [];
        const nextOffset = Math.min(end, firstOffset + 2);
        positions[partition] = nextOffset;
        const signal = losses[partition]?.signal;
        return [
          { topic: 'jobs', partition, firstOffset, nextOffset, signal },
        ] as unknown as ConsumedBatch<Topic>[];
      });
      if (open.length === 0) return this.#over();
      yield {
        batches: open,
        commit: async () => {
          this.done.push(`commit ${open.map(spanOf).join(' ')}`);
          for (const { partition, nextOffset } of open) this.committed[partition] = nextOffset;
        },
      };
    }
  }
}

const spanOf = ({ partition, firstOffset, nextOffset }: ConsumedBatch<Topic>): string =>
  `${partition}:${firstOffset}-${nextOffset}`;

describe('a worker of a group', () => {
  it('T3: commits the offsets of a round after it was handled, all of its partitions together', async () => {
    const story = new Story(3, 2);
    await story.run();
    expect(story.done).toEqual(['handle 0:0-2 1:0-2', 'commit 0:0-2 1:0-2', 'handle 0:2-3', 'commit 0:2-3']);
  });

  it('T3: commits nothing of a round that failed; another consumer reads it again', async () => {
    const story = new Story(2, 2);
    story.handle = () => {
      if (story.consumers === 1) throw new Error('cannot be done');
    };
    await story.run();
    expect(story.done).toEqual(['handle 0:0-2 1:0-2', 'handle 0:0-2 1:0-2', 'commit 0:0-2 1:0-2']);
    expect(story.consumers).toBe(2);
  });

  it('goes on after a round whose partitions were all taken away', async () => {
    const story = new Story(2, 2);
    story.handle = () => {
      for (const loss of story.losses) loss.abort();
      throw new Error('taken away');
    };
    await story.run();
    expect(story.done).toEqual(['handle 0:0-2 1:0-2']);
    expect(story.consumers).toBe(1);
  });

  it('reads again what it keeps of a round of which a part was taken away', async () => {
    const story = new Story(4, 2);
    story.handle = () => {
      if (story.consumers > 1) return;
      story.losses[1]?.abort();
      throw new Error('taken away');
    };
    await story.run();
    // Without another consumer partition 0 would go on at 2, and its first two records would be skipped.
    expect(story.done[1]).toBe('handle 0:0-2 1:0-2');
    expect(story.committed).toEqual([4, 2]);
  });
});
