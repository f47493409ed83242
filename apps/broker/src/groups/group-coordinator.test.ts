import { groupPartition } from '@seatlog/group-coordinator';
import { ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import { configsOf, GROUP_OFFSETS_TOPIC, ResourceType } from '@seatlog/metadata-quorum';
import { describe, expect, it } from 'vitest';
import type { Coordinator } from './group-service.ts';
import { GroupBroker } from './testing/group-broker.ts';

const GROUP = 'db-writer';
const PARTITION = groupPartition(GROUP, 5);

function setUp(overrides: Readonly<Record<string, string>> = {}) {
  const broker = new GroupBroker(overrides);
  broker.createOffsetsTopic();
  broker.createTopic('seats');
  const commit = (partition: number, offset: number, metadata = '', groupId = GROUP) => {
    const answers: number[] = [];
    const topicId = broker.metadata.image.topics.get('seats')?.id ?? ZERO_UUID;
    broker.groups.ask(
      'commit-offsets',
      {
        groupId,
        memberId: '',
        generationId: -1,
        groupInstanceId: null,
        retentionTimeMs: -1,
        namesMissingGroup: true,
        topics: [
          {
            name: 'seats',
            topicId,
            partitions: [
              {
                partitionIndex: partition,
                committedOffset: offset,
                committedLeaderEpoch: -1,
                committedMetadata: metadata,
              },
            ],
          },
        ],
      },
      ({ topics }) => answers.push(topics[0]?.partitions[0]?.errorCode ?? -1),
    );
    return answers;
  };
  const committed = (partition: number): number | string => {
    const topics = [{ name: 'seats', topicId: ZERO_UUID, partitionIndexes: [partition] }];
    const fetched = broker.groups.fetchOffsets(GROUP, topics);
    if (fetched.errorCode !== ErrorCode.NONE) return `error ${fetched.errorCode}`;
    return fetched.topics[0]?.partitions[0]?.committedOffset ?? -1;
  };
  const join = (groupId = GROUP) => {
    const answers: number[] = [];
    const request = {
      groupId,
      memberId: '',
      groupInstanceId: null,
      clientId: 'ada',
      clientHost: '/127.0.0.1',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: new Uint8Array(0) }],
      reason: null,
      uuid: 'u',
      requiresKnownMemberId: false,
      supportsSkippingAssignment: false,
    };
    broker.groups.ask('join', request, ({ errorCode }) => answers.push(errorCode));
    return answers;
  };
  const heartbeat = () => {
    const answers: number[] = [];
    const request = { groupId: GROUP, memberId: 'm', generationId: 1, groupInstanceId: null };
    broker.groups.ask('heartbeat', request, ({ errorCode }) => answers.push(errorCode));
    return answers;
  };
  return { broker, commit, committed, join, heartbeat };
}

const findCoordinator = (broker: GroupBroker, listenerName = 'PLAINTEXT'): Coordinator | undefined => {
  const found: Coordinator[] = [];
  broker.groups.findCoordinator(GROUP, listenerName, (coordinator) => found.push(coordinator));
  return found[0];
};

describe('finding a coordinator', () => {
  it('creates __consumer_offsets: compacted, with the partitions and segments that are configured', () => {
    const broker = new GroupBroker({ 'offsets.topic.segment.bytes': '1048576' });
    expect(findCoordinator(broker)).toEqual({
      errorCode: ErrorCode.NONE,
      errorMessage: null,
      nodeId: 1,
      host: 'plaintext-1',
      port: 9001,
    });
    const { image } = broker.metadata;
    expect(image.topics.get(GROUP_OFFSETS_TOPIC)?.partitions).toHaveLength(5);
    expect(Object.fromEntries(configsOf(image, ResourceType.TOPIC, GROUP_OFFSETS_TOPIC))).toEqual({
      'cleanup.policy': 'compact',
      'compression.type': 'producer',
      'segment.bytes': '1048576',
    });
  });

  it('gives the address on the listener that was asked', () => {
    expect(findCoordinator(new GroupBroker(), 'DOCKER')).toMatchObject({ host: 'docker-1', port: 9101 });
  });

  it('creates nothing while there are fewer brokers than replicas to hold it', () => {
    const broker = new GroupBroker({ 'offsets.topic.replication.factor': '2' });
    expect(findCoordinator(broker)).toMatchObject({
      errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE,
      nodeId: -1,
      host: '',
      port: -1,
    });
    expect(broker.metadata.image.topics.has(GROUP_OFFSETS_TOPIC)).toBe(false);
    findCoordinator(broker);
    expect(broker.lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({
        msg: 'a group has no coordinator',
        reason: 'Replication factor 2 needs as many brokers; 1 are registered.',
      }),
    ]);
    broker.broker.startBroker(2);
    expect(findCoordinator(broker)?.errorCode).toBe(ErrorCode.NONE);
  });

  it('says so when the controller does not take the change', () => {
    const broker = new GroupBroker();
    broker.broker.metadata.failWith = { errorCode: ErrorCode.NOT_CONTROLLER, message: 'elsewhere' };
    expect(findCoordinator(broker)).toMatchObject({
      errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE,
      errorMessage: 'elsewhere',
    });
  });

  it('says so when the partition has no leader', () => {
    const { broker } = setUp();
    broker.broker.fenceBroker(1);
    expect(findCoordinator(broker)?.errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  });
});

describe('coordinating the groups of a partition', () => {
  it('K11: reads commits back after a restart and logs how many they were, on how many keys', () => {
    const { broker, commit, committed } = setUp();
    commit(0, 1);
    commit(1, 10);
    commit(0, 2);
    commit(0, 3);
    commit(1, 11);
    broker.restart();
    expect(committed(0)).toBe(`error ${ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}`);
    broker.endTurns();
    expect([committed(0), committed(1)]).toEqual([3, 11]);
    expect(broker.lines).toContainEqual(
      expect.objectContaining({
        level: 'info',
        msg: 'loaded 5 commits (2 unique keys)',
        topic: GROUP_OFFSETS_TOPIC,
        partition: PARTITION,
      }),
    );
  });

  it('K11: answers a commit once it is replicated', () => {
    const { broker, commit, committed } = setUp();
    broker.replicas.replicates = false;
    const answers = commit(0, 5);
    expect(answers).toEqual([]);
    expect(committed(0)).toBe(-1);
    broker.offsetsPartition(PARTITION).replicate();
    expect(answers).toEqual([ErrorCode.NONE]);
    expect(committed(0)).toBe(5);
  });

  it('K11: tells of a commit that is not replicated within offsets.commit.timeout.ms', () => {
    const { broker, commit } = setUp({ 'offsets.commit.timeout.ms': '700' });
    broker.replicas.replicates = false;
    const answers = commit(0, 5);
    broker.clock.advance(699);
    expect(answers).toEqual([]);
    broker.clock.advance(1);
    expect(answers).toEqual([ErrorCode.COORDINATOR_NOT_AVAILABLE]);
  });

  it('refuses a commit whose batch is larger than the topic takes', () => {
    const { commit } = setUp({ 'message.max.bytes': '300' });
    expect(commit(0, 5, 'm'.repeat(400))).toEqual([ErrorCode.INVALID_COMMIT_OFFSET_SIZE]);
    expect(commit(0, 5)).toEqual([ErrorCode.NONE]);
  });

  it('asks for patience while it loads, but not those who send heartbeats: clients give up over that', () => {
    const { broker, commit, join, heartbeat } = setUp();
    commit(0, 1);
    broker.restart();
    expect(commit(0, 2)).toEqual([ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]);
    expect(join()).toEqual([ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]);
    expect(heartbeat()).toEqual([ErrorCode.NONE]);
    expect(broker.groups.list().errorCode).toBe(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    expect(broker.groups.describe(GROUP).errorCode).toBe(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    broker.endTurns();
    expect(broker.groups.list().groups).toHaveLength(1);
    expect(heartbeat()).toEqual([ErrorCode.UNKNOWN_MEMBER_ID]);
  });

  it('F28: serves a partition only when all that it read back is replicated', () => {
    const { broker, commit, committed } = setUp();
    broker.replicas.replicates = false;
    commit(0, 5);
    broker.offsetsPartition(PARTITION).loseLeadership();
    broker.replicas.elect(GROUP_OFFSETS_TOPIC, PARTITION, 1);
    broker.endTurns();
    expect(committed(0)).toBe(`error ${ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}`);
    broker.offsetsPartition(PARTITION).replicate();
    expect(committed(0)).toBe(5);
  });

  it('F28: reads anew what another leader may have written, when it is elected again', () => {
    const { broker, commit, committed } = setUp();
    commit(0, 5);
    const { batches } = broker.offsetsPartition(PARTITION);
    broker.replicas.resign(GROUP_OFFSETS_TOPIC, PARTITION);
    expect(committed(0)).toBe(`error ${ErrorCode.NOT_COORDINATOR}`);
    batches.length = 0;
    broker.replicas.elect(GROUP_OFFSETS_TOPIC, PARTITION, 2);
    broker.endTurns();
    expect(committed(0)).toBe(-1);
  });

  it('F28: sends those who wait elsewhere when it resigns', () => {
    const { broker, commit, join, committed } = setUp();
    const parked = join();
    broker.replicas.replicates = false;
    const commits = commit(0, 5, '', 'another');
    broker.replicas.resign(GROUP_OFFSETS_TOPIC, PARTITION);
    expect(parked).toEqual([ErrorCode.NOT_COORDINATOR]);
    expect(commit(0, 7)).toEqual([ErrorCode.NOT_COORDINATOR]);
    expect(committed(0)).toBe(`error ${ErrorCode.NOT_COORDINATOR}`);
    broker.replicas.resign(GROUP_OFFSETS_TOPIC, groupPartition('another', 5));
    expect(commits).toEqual([ErrorCode.NOT_COORDINATOR]);
  });

  it('answers a request that comes out of the answer of a resigning coordinator', () => {
    const { broker, join, commit } = setUp();
    const late: number[][] = [];
    const request = {
      groupId: GROUP,
      memberId: '',
      groupInstanceId: null,
      clientId: 'ada',
      clientHost: '/127.0.0.1',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: new Uint8Array(0) }],
      reason: null,
      uuid: 'u',
      requiresKnownMemberId: false,
      supportsSkippingAssignment: false,
    };
    broker.groups.ask('join', request, () => late.push(join(), commit(0, 1)));
    broker.replicas.resign(GROUP_OFFSETS_TOPIC, PARTITION);
    expect(late).toEqual([[ErrorCode.NOT_COORDINATOR], [ErrorCode.NOT_COORDINATOR]]);
  });

  it('is gone when the topic is deleted', () => {
    const { broker, join } = setUp();
    const parked = join();
    broker.replicas.delete(GROUP_OFFSETS_TOPIC, PARTITION);
    expect(parked).toEqual([ErrorCode.NOT_COORDINATOR]);
  });

  it('knows nothing of groups before there is an offsets topic', () => {
    const broker = new GroupBroker();
    expect(broker.groups.describe(GROUP)).toEqual({ errorCode: ErrorCode.NOT_COORDINATOR, group: null });
    expect(broker.groups.list()).toEqual({ errorCode: ErrorCode.NONE, groups: [] });
  });

  it('F46: says what is wrong with a request before it says who coordinates', () => {
    const broker = new GroupBroker();
    const answers: number[] = [];
    const members = [{ memberId: 'm', groupInstanceId: null, reason: null }];
    broker.groups.ask('leave', { groupId: '', members }, ({ errorCode }) => answers.push(errorCode));
    expect(answers).toEqual([ErrorCode.INVALID_GROUP_ID]);
  });

  it('forgets the offsets of topics that are deleted, also while it loads', () => {
    const { broker, commit, committed } = setUp();
    commit(0, 5);
    broker.restart();
    broker.deleteTopic('seats');
    broker.endTurns();
    expect(committed(0)).toBe(-1);
    broker.createTopic('seats');
    commit(0, 6);
    broker.deleteTopic('seats');
    expect(committed(0)).toBe(-1);
    broker.restart();
    broker.endTurns();
    expect(committed(0)).toBe(-1);
  });

  it('looks for expired offsets every offsets.retention.check.interval.ms', () => {
    const { broker, commit, committed } = setUp({
      'offsets.retention.minutes': '1',
      'offsets.retention.check.interval.ms': '50000',
    });
    commit(0, 5);
    broker.clock.advance(50_000);
    expect(committed(0)).toBe(5);
    broker.clock.advance(50_000);
    expect(committed(0)).toBe(-1);
  });

  it('does not serve a partition that cannot be read, and says so', () => {
    const { broker, commit, committed } = setUp();
    commit(0, 5);
    broker.offsetsPartition(PARTITION).isBroken = true;
    broker.restart();
    broker.endTurns();
    expect(committed(0)).toBe(`error ${ErrorCode.NOT_COORDINATOR}`);
    expect(broker.groups.list().errorCode).toBe(ErrorCode.NONE);
    expect(broker.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        error: expect.objectContaining({ message: 'the disk is gone' }),
      }),
    );
  });

  it('leaves no timer behind when it stops', () => {
    const { broker, join, commit } = setUp();
    const parked = join();
    broker.replicas.replicates = false;
    commit(0, 1, '', 'another');
    expect(broker.clock.pending).toBeGreaterThan(0);
    broker.groups.stop();
    expect(broker.clock.pending).toBe(0);
    expect(parked).toEqual([ErrorCode.NOT_COORDINATOR]);
  });

  it('shows its groups with members and offsets', () => {
    const { broker, commit, join } = setUp();
    commit(0, 5);
    join('another');
    expect(
      [...broker.groups.summaries()].sort((one, other) => (one.groupId < other.groupId ? -1 : 1)),
    ).toEqual([
      { groupId: 'another', state: 'PreparingRebalance', members: 1, committed: [] },
      {
        groupId: GROUP,
        state: 'Empty',
        members: 0,
        committed: [{ topic: 'seats', partition: 0, offset: 5 }],
      },
    ]);
  });
});
