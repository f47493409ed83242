import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { ReplicatedCluster } from './testing/replicated-cluster.ts';

const SETTINGS = { 'replica.lag.time.max.ms': '10000' };

async function threeBrokers(): Promise<ReplicatedCluster> {
  const cluster = await ReplicatedCluster.start(3, { settings: SETTINGS });
  await cluster.createTopic('seats');
  return cluster;
}

const text = (cluster: ReplicatedCluster, id: number, file: string): string =>
  new TextDecoder()
    .decode(cluster.disk(id).readFile(`/logs/${file}`))
    .replaceAll('\n', ' ')
    .trim();

/** Ten are committed; then the leader alone writes five with acks=1, and dies. */
async function lostWrites(): Promise<ReplicatedCluster> {
  const cluster = await threeBrokers();
  for (let place = 1; place <= 10; place++) await cluster.produce(1, 'seats', [`ok-${place}`]);
  await cluster.advance(600);
  for (const id of [2, 3]) cluster.broker(id).kill();
  for (let place = 1; place <= 5; place++) {
    const answer = await cluster.produce(1, 'seats', [`lost-${place}`], { acks: 1 });
    expect(answer()?.baseOffset).toBe(9 + place);
  }
  cluster.broker(1).kill();
  for (const id of [2, 3]) await cluster.startBroker(id, { keptEpoch: cluster.broker(id).brokerEpoch });
  return cluster;
}

describe('a leader that dies with records that nobody else has', () => {
  it('R21, R22, R24: the next one begins its epoch at its end; the old one truncates to that and is equal again', async () => {
    const cluster = await lostWrites();
    cluster.controller.fence(1);
    await cluster.advance(1000);
    const leader = cluster.controller.image.topics.get('seats')?.partitions[0]?.leader ?? -1;
    const answers = [];
    for (let place = 1; place <= 3; place++) {
      answers.push(await cluster.produce(leader, 'seats', [`new-${place}`]));
      await cluster.advance(600);
    }
    expect(answers.map((answer) => answer()?.baseOffset)).toEqual([10, 11, 12]);
    await cluster.startBroker(1);
    await cluster.advance(1000);
    const { leaderEpochs } = cluster.broker(leader).partition('seats').log;
    expect(leaderEpochs.at(-1)?.startOffset).toBe(10);
    const { lines } = cluster.broker(1);
    expect(lines).toContainEqual(expect.stringMatching(/^Truncating partition seats-0 to offset 10 /));
    expect(cluster.logBytes(1, 'seats')).toEqual(cluster.logBytes(leader, 'seats'));
    const epochFile = 'seats-0/leader-epoch-checkpoint';
    expect(text(cluster, 1, epochFile)).toBe(text(cluster, leader, epochFile));
    const ok = Array.from({ length: 10 }, (_, place) => `ok-${place + 1}`);
    expect(await cluster.values(leader, 'seats')).toEqual([...ok, 'new-1', 'new-2', 'new-3']);
    expect(cluster.isr('seats').toSorted((one, other) => one - other)).toEqual([1, 2, 3]);
  });
});

describe('a leader from outside of the ISR', () => {
  it('R13, R20: confirms its recoveries like any change, one request at a time; only then do others join', async () => {
    const cluster = await threeBrokers();
    for (const topic of ['rows', 'seats-too']) await cluster.createTopic(topic);
    const topics = ['seats', 'rows', 'seats-too'];
    const { controller } = cluster;
    const partitions = () => topics.map((topic) => controller.image.topics.get(topic)?.partitions[0]);
    for (const id of [3, 1, 2]) controller.fence(id);
    await cluster.settle();
    for (const topic of topics) controller.setTopicConfig(topic, 'unclean.leader.election.enable', 'true');
    controller.holds = true;
    controller.unfence(3);
    for (const id of [1, 2]) controller.unfence(id);
    await cluster.advance(2000);
    expect(partitions()).toMatchObject(topics.map(() => ({ leader: 3, isr: [3], leaderRecoveryState: 1 })));
    expect(controller.heldCount).toBe(1);
    controller.release();
    await cluster.settle();
    expect(partitions()).toMatchObject(topics.map(() => ({ leader: 3, isr: [3], leaderRecoveryState: 0 })));
    await cluster.advance(2000);
    const whole = new Set([1, 2, 3]);
    expect(topics.map((topic) => new Set(cluster.isr(topic)))).toEqual(topics.map(() => whole));
  });
});

describe('an epoch that is not the partition’s', () => {
  it('R25: is refused by leaders, and followers say who leads', async () => {
    const cluster = await threeBrokers();
    cluster.controller.fence(1);
    cluster.controller.unfence(1);
    await cluster.settle();
    const epoch = cluster.broker(2).partition('seats').leaderEpoch;
    const old = await cluster.fetch(2, 'seats', { currentLeaderEpoch: epoch - 1 });
    const later = await cluster.fetch(2, 'seats', { currentLeaderEpoch: epoch + 1 });
    const elsewhere = await cluster.fetch(1, 'seats');
    expect([old()?.errorCode, later()?.errorCode]).toEqual([
      ErrorCode.FENCED_LEADER_EPOCH,
      ErrorCode.UNKNOWN_LEADER_EPOCH,
    ]);
    expect(elsewhere()).toMatchObject({
      errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER,
      currentLeader: { leaderId: 2, leaderEpoch: epoch },
    });
    const produced = await cluster.produce(1, 'seats', ['a']);
    expect(produced()?.errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
  });

  it('R25: the fetch of an earlier incarnation of a follower is no report', async () => {
    const cluster = await threeBrokers();
    await cluster.produce(1, 'seats', ['a'], { acks: 1 });
    const topicId = cluster.broker(1).partition('seats').topicId;
    const partition = { partition: 0, fetchOffset: 0, partitionMaxBytes: 1000, currentLeaderEpoch: 0 };
    const answer = await cluster.ask(1, apis.fetch, 17, {
      replicaState: { replicaId: 3, replicaEpoch: cluster.broker(3).brokerEpoch - 1 },
      maxWaitMs: 0,
      minBytes: 1,
      topics: [{ topicId, partitions: [partition] }],
    });
    expect(answer.result).toMatchObject({
      response: { responses: [{ partitions: [{ errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER }] }] },
    });
  });
});

describe('checkpoints', () => {
  it('R9: the high watermark is written at its interval, and read at the start', async () => {
    const cluster = await threeBrokers();
    await cluster.produce(1, 'seats', ['a', 'b']);
    await cluster.advance(5600);
    for (const id of [1, 2, 3]) {
      expect(text(cluster, id, 'replication-offset-checkpoint')).toBe('0 1 seats 0 2');
    }
    const { brokerEpoch } = cluster.broker(2);
    cluster.broker(2).kill();
    for (const id of [1, 3]) cluster.broker(id).kill();
    const again = await cluster.startBroker(2, { previousBrokerEpoch: brokerEpoch });
    expect(again.partition('seats').highWatermark).toBe(2);
  });
});

describe('a follower whose log does not reach into its leader’s', () => {
  it('R26: drops it and begins where the leader’s begins', async () => {
    const cluster = await threeBrokers();
    await cluster.produce(1, 'seats', ['a', 'b']);
    await cluster.advance(600);
    cluster.broker(3).kill();
    cluster.controller.fence(3);
    await cluster.settle();
    await cluster.produce(1, 'seats', ['c', 'd', 'e']);
    const deletion = await cluster.ask(1, apis.deleteRecords, 2, {
      topics: [{ name: 'seats', partitions: [{ partitionIndex: 0, offset: 5 }] }],
      timeoutMs: 5000,
    });
    await cluster.produce(1, 'seats', ['f']);
    await cluster.advance(1100);
    expect(deletion.result).toMatchObject({ kind: 'answered' });
    await cluster.startBroker(3);
    await cluster.advance(2500);
    const { logStartOffset, logEndOffset } = cluster.broker(3).partition('seats');
    expect([logStartOffset, logEndOffset]).toEqual([5, 6]);
    expect(cluster.isr('seats')).toEqual([1, 2, 3]);
  });
});
