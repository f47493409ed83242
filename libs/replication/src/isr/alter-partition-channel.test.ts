import { ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import {
  AlterPartitionChannel,
  type AlterPartitionResponse,
  type ChannelEffect,
  type ChannelEvent,
} from './alter-partition-channel.ts';
import type { IsrProposal } from './isr-proposal.ts';

const cluster = { brokerEpoch: 11, broker: () => undefined };

function proposal(topicId: string, partition: number, more: Partial<IsrProposal> = {}): IsrProposal {
  return {
    topicId,
    partition,
    leaderEpoch: 5,
    partitionEpoch: 8,
    proposalId: 1,
    isr: [
      { brokerId: 1, brokerEpoch: 11 },
      { brokerId: 2, brokerEpoch: 12 },
    ],
    leaderRecoveryState: 0,
    attempt: 1,
    ...more,
  };
}

function response(...partitions: readonly (readonly [string, number, number])[]): AlterPartitionResponse {
  return {
    throttleTimeMs: 0,
    errorCode: 0,
    topics: partitions.map(([topicId, partitionIndex, errorCode]) => ({
      topicId,
      partitions: [
        {
          partitionIndex,
          errorCode,
          leaderId: 1,
          leaderEpoch: 5,
          isr: [1, 2],
          leaderRecoveryState: 0,
          partitionEpoch: 9,
        },
      ],
    })),
  };
}

/** A channel and all that it asked for. */
class Bench {
  readonly channel: AlterPartitionChannel;
  readonly effects: ChannelEffect[] = [];

  constructor(partitionsPerRequest = 100) {
    this.channel = new AlterPartitionChannel(1, cluster, { retryBackoffMs: 50, partitionsPerRequest });
  }

  step(event: ChannelEvent): void {
    this.effects.push(...this.channel.step(event));
  }

  submit(...proposals: readonly IsrProposal[]): void {
    for (const one of proposals) this.step({ type: 'submit', proposal: one });
  }

  get sent(): readonly { readonly requestId: number; readonly partitions: readonly string[] }[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'send'
        ? [
            {
              requestId: effect.requestId,
              partitions: effect.request.topics.flatMap(({ topicId, partitions }) =>
                partitions.map((it) => `${topicId}-${it.partitionIndex}@${it.partitionEpoch}`),
              ),
            },
          ]
        : [],
    );
  }

  get answers(): readonly string[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'answer'
        ? [`${effect.proposal.topicId}-${effect.proposal.partition} ${effect.verdict.kind}`]
        : [],
    );
  }

  get pauses(): number {
    return this.effects.filter((effect) => effect.type === 'arm-retry').length;
  }
}

describe('R13: proposals go to the controller', () => {
  it('as Kafka asks for them', () => {
    const bench = new Bench();
    bench.submit(proposal('t', 3));
    expect(bench.effects).toEqual([
      {
        type: 'send',
        requestId: 1,
        request: {
          brokerId: 1,
          brokerEpoch: 11,
          topics: [
            {
              topicId: 't',
              partitions: [
                {
                  partitionIndex: 3,
                  leaderEpoch: 5,
                  newIsrWithEpochs: [
                    { brokerId: 1, brokerEpoch: 11 },
                    { brokerId: 2, brokerEpoch: 12 },
                  ],
                  leaderRecoveryState: 0,
                  partitionEpoch: 8,
                },
              ],
            },
          ],
        },
      },
    ]);
  });

  it('one request at a time; what comes meanwhile goes together in the next', () => {
    const bench = new Bench();
    bench.submit(proposal('t', 0), proposal('t', 1), proposal('u', 0), proposal('t', 2));
    expect(bench.sent).toEqual([{ requestId: 1, partitions: ['t-0@8'] }]);
    bench.step({ type: 'answered', requestId: 1, response: response(['t', 0, 0]) });
    expect(bench.answers).toEqual(['t-0 accepted']);
    expect(bench.sent[1]).toEqual({ requestId: 2, partitions: ['t-1@8', 't-2@8', 'u-0@8'] });
  });

  it('with no more partitions in a request than the limit', () => {
    const bench = new Bench(2);
    bench.submit(proposal('t', 0), proposal('t', 1), proposal('t', 2), proposal('t', 3));
    bench.step({ type: 'answered', requestId: 1, response: response(['t', 0, 0]) });
    expect(bench.sent[1]?.partitions).toEqual(['t-1@8', 't-2@8']);
    expect(bench.channel.waitingCount).toBe(1);
  });

  it('the latest of a partition in place of one that waits', () => {
    const bench = new Bench();
    bench.submit(proposal('t', 0), proposal('t', 1), proposal('t', 1, { partitionEpoch: 9, proposalId: 2 }));
    bench.step({ type: 'answered', requestId: 1, response: response(['t', 0, 0]) });
    expect(bench.sent[1]?.partitions).toEqual(['t-1@9']);
  });

  it('unless they are withdrawn before', () => {
    const bench = new Bench();
    bench.submit(proposal('t', 0), proposal('t', 1));
    bench.step({ type: 'withdraw', proposal: proposal('t', 1, { proposalId: 7 }) });
    expect(bench.channel.waitingCount).toBe(1);
    bench.step({ type: 'withdraw', proposal: proposal('t', 1) });
    bench.step({ type: 'withdraw', proposal: proposal('t', 0) });
    bench.step({ type: 'answered', requestId: 1, response: response(['t', 0, 0]) });
    expect([bench.sent.length, bench.answers, bench.channel.isInFlight]).toEqual([1, [], false]);
  });
});

describe('R15: what was not answered goes again', () => {
  it.each<[string, ChannelEvent]>([
    ['a failure', { type: 'failed', requestId: 1, reason: 'timed out' }],
    [
      'an error of the whole request',
      {
        type: 'answered',
        requestId: 1,
        response: { throttleTimeMs: 0, errorCode: ErrorCode.STALE_BROKER_EPOCH, topics: [] },
      },
    ],
    ['an answer without the partition', { type: 'answered', requestId: 1, response: response(['t', 9, 0]) }],
  ])('after %s, with what came since, after a pause', (_what, event) => {
    const bench = new Bench();
    bench.submit(proposal('t', 0));
    bench.step(event);
    bench.submit(proposal('t', 1));
    expect([bench.sent.length, bench.pauses, bench.answers]).toEqual([1, 1, []]);
    bench.step({ type: 'retry-due' });
    expect(bench.sent[1]).toEqual({ requestId: 2, partitions: ['t-0@8', 't-1@8'] });
  });

  it('but not in place of a later proposal of its partition', () => {
    const bench = new Bench();
    bench.submit(proposal('t', 0), proposal('t', 0, { partitionEpoch: 9, proposalId: 2 }));
    bench.step({ type: 'failed', requestId: 1, reason: 'timed out' });
    bench.step({ type: 'retry-due' });
    expect(bench.sent[1]?.partitions).toEqual(['t-0@9']);
  });

  it('also when a leader repeats its proposal, which waits for the pause', () => {
    const bench = new Bench();
    bench.submit(proposal('t', 0));
    bench.step({ type: 'answered', requestId: 1, response: response(['t', 0, ErrorCode.NOT_CONTROLLER]) });
    expect(bench.answers).toEqual(['t-0 refused']);
    bench.submit(proposal('t', 0, { attempt: 2 }));
    expect([bench.sent.length, bench.pauses]).toEqual([1, 1]);
    bench.step({ type: 'retry-due' });
    expect(bench.sent).toHaveLength(2);
  });
});

describe('F23: an answer counts for the request it was sent for', () => {
  it('late, doubled or unknown ones do nothing', () => {
    const bench = new Bench();
    bench.submit(proposal('t', 0));
    bench.step({ type: 'failed', requestId: 1, reason: 'timed out' });
    bench.step({ type: 'retry-due' });
    bench.step({ type: 'answered', requestId: 1, response: response(['t', 0, ErrorCode.INVALID_REQUEST]) });
    expect(bench.answers).toEqual([]);
    bench.step({ type: 'answered', requestId: 2, response: response(['t', 0, 0]) });
    bench.step({ type: 'answered', requestId: 2, response: response(['t', 0, 0]) });
    bench.step({ type: 'failed', requestId: 2, reason: 'disconnected' });
    expect(bench.answers).toEqual(['t-0 accepted']);
    expect(bench.channel.isInFlight).toBe(false);
  });
});
