import { describe, expect, it } from 'vitest';
import { FetchersBench } from '../testing/fetchers-bench.ts';
import { sampleBatch } from '../testing/sample-batch.ts';
import { fetcherIdOf, fetcherName } from './fetcher-assignment.ts';

describe('R1: partitions are shared out among fetchers', () => {
  // The hash of 'polygenelubricants' is -2^31, the one number without an absolute value.
  it.each([
    ['rep', 0, 1, 0],
    ['rep', 0, 4, 3],
    ['rep', 5, 4, 0],
    ['polygenelubricants', 0, 3, 0],
    ['', 0, 3, 0],
    ['seat-events', 7, 5, 2],
  ])('%s-%i of %i fetchers goes to %i', (topic, partition, fetchers, id) => {
    expect(fetcherIdOf(topic, partition, fetchers)).toBe(id);
  });

  it('by leader and fetcher id, under a name that says both', () => {
    expect(fetcherName(2, 1)).toBe('ReplicaFetcherThread-2-1');
    const bench = new FetchersBench({ numReplicaFetchers: 4 });
    bench.follow('rep', 0, 1);
    bench.follow('rep', 5, 1);
    bench.follow('rep', 0, 7, 'u');
    expect(bench.names).toEqual([
      'ReplicaFetcherThread-3-1',
      'ReplicaFetcherThread-0-1',
      'ReplicaFetcherThread-3-7',
    ]);
  });

  it('anew when the leader changes; a fetcher without partitions is closed', () => {
    const bench = new FetchersBench();
    const follower = bench.follow('rep', 0, 1);
    bench.answerAll();
    bench.lead(follower, 2, 1);
    expect(bench.names).toEqual(['ReplicaFetcherThread-0-2']);
    expect(bench.closed).toEqual(['ReplicaFetcherThread-0-1']);
    bench.lead(follower, -1, 2);
    expect(bench.names).toEqual([]);
  });
});

describe('R1, R2: a fetch', () => {
  it('is one for all partitions of a fetcher, in the words of the protocol', () => {
    const bench = new FetchersBench({ brokerEpoch: 31 });
    bench.addWhileInFlight(['rep', 0], ['rep', 1], ['other', 0]);
    bench.answerAll();
    const last = bench.sent.at(-1);
    expect(last?.fetcher.name).toBe('ReplicaFetcherThread-0-1');
    expect(last?.request).toEqual({
      replicaState: { replicaId: 3, replicaEpoch: 31 },
      maxWaitMs: 500,
      minBytes: 1,
      maxBytes: 10 * 1024 * 1024,
      topics: [
        { topicId: 'rep', partitions: [bench.wanted(0), bench.wanted(1)] },
        { topicId: 'other', partitions: [bench.wanted(0)] },
      ],
    });
  });

  it('is one at a time, and follows its answer at once', () => {
    const bench = new FetchersBench();
    bench.follow('rep', 0, 1);
    bench.follow('rep', 1, 1);
    expect(bench.sent).toHaveLength(1);
    bench.answerAll();
    expect(bench.sent).toHaveLength(2);
    expect(bench.partitions()).toEqual(['rep-0', 'rep-1']);
  });

  it('waits until what the last one brought is written, for it is to be reported', () => {
    const bench = new FetchersBench();
    bench.addWhileInFlight(['rep', 0], ['rep', 1]);
    bench.answerAll();
    const records = sampleBatch(['word']);
    bench.answerAll({ 'rep-1': { records, highWatermark: 0, logStartOffset: 0 } });
    expect(bench.sent).toHaveLength(2);
    bench.written('rep-1');
    expect(bench.sent).toHaveLength(3);
  });

  it('asks first for those that got nothing the last time, so that none starves', () => {
    const bench = new FetchersBench();
    bench.addWhileInFlight(['rep', 0], ['rep', 1], ['rep', 2]);
    bench.answerAll();
    bench.answerAll({ 'rep-0': { records: sampleBatch(['word']), highWatermark: 0, logStartOffset: 0 } });
    bench.written('rep-0');
    expect(bench.partitions()).toEqual(['rep-1', 'rep-2', 'rep-0']);
  });

  it('leaves out a partition that waits out its back-off, and asks for it again afterwards', () => {
    const bench = new FetchersBench();
    bench.addWhileInFlight(['rep', 0], ['rep', 1]);
    bench.answerAll();
    bench.answerAll({ 'rep-0': { errorCode: 6 } });
    expect(bench.partitions()).toEqual(['rep-1']);
    bench.advance(1000);
    bench.answerAll();
    expect(bench.partitions()).toEqual(['rep-0', 'rep-1']);
  });

  it('waits out the back-off when there is nothing else to ask for', () => {
    const bench = new FetchersBench();
    bench.follow('rep', 0, 1);
    bench.fail('connection refused');
    expect([bench.sent.length, bench.timers]).toEqual([1, [1000]]);
    bench.advance(1000);
    bench.fireTimer();
    expect(bench.sent).toHaveLength(2);
  });

  it('treats an error of the whole answer, or a partition that is missing in it, as a failure', () => {
    const bench = new FetchersBench();
    bench.addWhileInFlight(['rep', 0], ['rep', 1]);
    bench.answerAll();
    bench.answerSome(['rep-1']);
    expect(bench.partitions()).toEqual(['rep-1']);
    bench.answerAll({}, 71);
    expect(bench.timers).toEqual([1000]);
  });
});

describe('F23: an answer counts for the request it was sent for', () => {
  it('one that comes twice, or after its failure, does nothing', () => {
    const bench = new FetchersBench();
    bench.follow('rep', 0, 1);
    bench.answerAll();
    const before = bench.sent.length;
    bench.answerAll({}, 0, 1);
    bench.fail('disconnected', 1);
    expect(bench.sent).toHaveLength(before);
  });

  it('one that comes when the partition has another leader goes to nobody', () => {
    const bench = new FetchersBench();
    const follower = bench.follow('rep', 0, 1);
    bench.lead(follower, 2, 1);
    bench.answerAll(
      { 'rep-0': { records: sampleBatch(['word']), highWatermark: 1, logStartOffset: 0 } },
      0,
      1,
    );
    expect(follower.state.kind).toBe('fetching');
    expect(bench.logOf('rep-0').logEndOffset).toBe(0);
  });

  it('a partition that has been told of its next leader is not fetched for from the last one', () => {
    const bench = new FetchersBench();
    const follower = bench.follow('rep', 0, 1);
    bench.answerAll();
    follower.step({ type: 'follow', leaderId: 2, leaderEpoch: 1 }, bench.moment);
    const before = bench.sent.length;
    bench.step({ type: 'fetch-state-changed', follower });
    bench.answerAll();
    expect(bench.sent).toHaveLength(before);
  });
});

describe('R30: MaxLag', () => {
  it('is the greatest lag of all that are followed', () => {
    const bench = new FetchersBench();
    bench.addWhileInFlight(['rep', 0], ['rep', 1]);
    bench.answerAll();
    bench.answerAll({
      'rep-0': { highWatermark: 4, logStartOffset: 0 },
      'rep-1': { highWatermark: 9, logStartOffset: 0 },
    });
    expect(bench.fetchers.maxLag).toBe(9);
  });
});
