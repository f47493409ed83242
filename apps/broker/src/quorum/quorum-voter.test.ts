import type { RequestOf, apis } from '@seatlog/kafka-protocol';
import { QUORUM_STATE_FILE } from '@seatlog/metadata-quorum';
import { describe, expect, it } from 'vitest';
import { QuorumWorld } from './testing/quorum-world.ts';

type VoteRequest = RequestOf<typeof apis.vote>;

const CLUSTER_ID = 'wlRg8jBZQhqo0Y-qbWmJZA';
const ZERO = 'AAAAAAAAAAAAAAAAAAAAAA';

/** Node 2 or 3 stands for election with a log that is further than any. */
function candidacy(replicaId: number, replicaEpoch: number): VoteRequest {
  const partition = {
    partitionIndex: 0,
    replicaEpoch,
    replicaId,
    replicaDirectoryId: ZERO,
    voterDirectoryId: ZERO,
    lastOffsetEpoch: replicaEpoch - 1,
    lastOffset: 1000,
    preVote: false,
  };
  return {
    clusterId: CLUSTER_ID,
    voterId: 1,
    topics: [{ topicName: '__cluster_metadata', partitions: [partition] }],
  };
}

/** Whether the vote was granted; `then` is called at the moment of the answer. */
function ask(world: QuorumWorld, request: VoteRequest, then: () => void = () => {}): boolean | undefined {
  const run = world.open();
  run.node.start();
  world.settle();
  let granted: boolean | undefined;
  run.node.requests.request('vote', request, (response) => {
    granted = response.topics?.[0]?.partitions[0]?.voteGranted;
    then();
  });
  world.settle();
  return granted;
}

describe('a voter of three', () => {
  it('has its vote on the disk, safe from a power cut, before anybody hears of it', () => {
    const world = new QuorumWorld(1, { voters: [1, 2, 3] });
    expect(ask(world, candidacy(2, 5), () => world.losePower())).toBe(true);
    expect(JSON.parse(world.fileText(QUORUM_STATE_FILE))).toMatchObject({ leaderEpoch: 5, votedId: 2 });
  });

  it('votes once in an epoch, also over a restart', () => {
    const world = new QuorumWorld(1, { voters: [1, 2, 3] });
    expect(ask(world, candidacy(2, 5), () => world.losePower())).toBe(true);
    expect(ask(world, candidacy(3, 5), () => world.losePower())).toBe(false);
    expect(ask(world, candidacy(2, 5), () => world.losePower())).toBe(true);
    expect(ask(world, candidacy(3, 6))).toBe(true);
  });
});
