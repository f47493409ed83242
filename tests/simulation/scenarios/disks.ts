// Disks that are full, fail or rot under running brokers, and what a start makes of them.
import { assert, type Library, type Scenario } from './scenario.ts';

const KAFKA_STORAGE_ERROR = 56;
const NOT_ENOUGH_REPLICAS = 19;
/** LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, NETWORK_EXCEPTION. */
const UNHEARD: readonly number[] = [5, 6, 13];

type Told = InstanceType<Library['Story']>;

function restart(story: Told, id: number): void {
  story.broker(id).kill();
  story.broker(id).start();
}

function leads(story: Told, id: number): boolean {
  return story.broker(id).run?.partitions.get(0)?.replica.role === 'leading';
}

/** What a batch with acks=all comes to once the producer has heard who leads. */
function answer(story: Told): number | undefined {
  for (let attempt = 0; attempt < 5; attempt++) {
    const { errorCode = -1 } = story.produced();
    if (!UNHEARD.includes(errorCode)) return errorCode;
    story.pass(200);
  }
  return undefined;
}

/** F7: no disk has room; below the minimum nothing is appended that could show that there is some again. */
function fullDisks({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 2, sessionTimeoutMs: 20_000 });
  assert.equal(story.produced().errorCode, 0);
  const { brokers } = story.simulation.world;
  for (const { disk } of brokers) disk.condition.isFull = true;
  for (let turn = 0; turn < 2; turn++) {
    const { leader } = story;
    assert.equal(story.produced(1).errorCode, KAFKA_STORAGE_ERROR);
    story.until('another leads', () => story.leader !== leader && leads(story, story.leader));
    story.pass(100);
  }
  story.pass(2000);
  assert.equal(story.partition.isr.length, 1);
  assert.equal(answer(story), NOT_ENOUGH_REPLICAS);
  for (const { disk } of brokers) disk.condition.isFull = false;
  story.until('all are in sync again', () => story.partition.isr.length === 3);
  assert.equal(answer(story), 0);
  story.heal();
}

/** F8: nothing is acknowledged that could not be synced, and whoever could not leaves its leadership. */
function failedSync({ Story }: Library): void {
  const story = new Story({ durability: 'flush', minInsyncReplicas: 2, sessionTimeoutMs: 20_000 });
  assert.equal(story.produced().errorCode, 0);
  const { leader } = story;
  story.broker(leader).disk.condition.failsNext = 'sync';
  assert.equal(story.produced().errorCode, KAFKA_STORAGE_ERROR);
  story.until('another leads', () => story.leader !== leader && story.leader !== -1);
  assert.equal(story.produced('idempotent').errorCode, 0);
  story.pass(3000);
  assert.ok(!story.partition.isr.includes(leader), 'a log that takes no more is in sync');
  restart(story, leader);
  story.until('it is in sync again', () => story.partition.isr.includes(leader));
  story.heal();
}

/** F7: the one that could lead is lost when the others go; it is elected when it is found. */
function lostLeaderIsFound({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 3, sessionTimeoutMs: 800 });
  assert.equal(story.produced().errorCode, 0);
  const { leader } = story;
  const { condition } = story.broker(leader).disk;
  condition.isFull = true;
  assert.equal(story.produced(1).errorCode, KAFKA_STORAGE_ERROR);
  story.until('it is an eligible leader alone', () => story.partition.elr.includes(leader));
  for (const id of story.partition.isr) story.broker(id).kill();
  story.until('nobody leads', () => story.leader === -1);
  condition.isFull = false;
  story.until('it leads', () => story.leader === leader);
  assert.equal(story.partition.leaderRecoveryState, 0);
  story.heal();
}

/** F3: a fetch comes upon rot at the leader: another leads, and the rotten one has it no more after a start. */
function rottenLeader({ Story }: Library): void {
  const story = new Story({
    log: 'commit-log',
    trustsWhatWasSynced: true,
    durability: 'flush',
    replicaLagTimeMaxMs: 600,
    sessionTimeoutMs: 5000,
  });
  // So many that the first are in a segment which is sealed, and which a start trusts.
  for (let count = 0; count < 20; count++) assert.equal(story.produced().errorCode, 0);
  story.pass(2000);
  const { leader } = story;
  const { log } = story.hosted(leader);
  const end = log.logEndOffset;
  const [rotten] = log.batches;
  story.broker(leader).disk.rotAt(0, rotten?.baseOffset ?? -1, story.simulation.world.random);
  // One of the others has lost its disk, and asks for all.
  const [wiped = 0] = story.followers;
  story.broker(wiped).kill();
  story.broker(wiped).disk.wipe();
  story.broker(wiped).start();
  story.until('another leads', () => story.leader !== leader && story.leader !== -1);
  assert.ok(log.hasFoundRot, 'the rot was not found');
  // It has heard that others have taken its place.
  story.pass(1000);
  restart(story, leader);
  story.until('all are in sync', () => story.partition.isr.length === 3);
  for (const id of story.partition.replicas) {
    const bytes = story.hosted(id).log.read(0, end, 1_000_000);
    assert.ok(bytes !== null && bytes.length > 0, `broker ${id} has what rotted`);
  }
  story.heal();
}

/** F8: what a start finds after a sync that failed may lie in the page cache alone; then the power goes. */
function startAfterAFailedSync({ Story }: Library): void {
  const story = new Story({
    log: 'commit-log',
    durability: 'flush',
    replicationFactor: 1,
    minInsyncReplicas: 1,
    sessionTimeoutMs: 800,
  });
  assert.equal(story.produced().errorCode, 0);
  const { leader } = story;
  const broker = story.broker(leader);
  broker.disk.condition.failsNext = 'sync';
  assert.equal(story.produced().errorCode, KAFKA_STORAGE_ERROR);
  const { nextAppendOffset: found } = story.hosted(leader).log;
  restart(story, leader);
  story.until('it leads again', () => leads(story, leader));
  assert.equal(story.hosted(leader).log.logEndOffset, found, 'it is not found again');
  assert.equal(answer(story), 0);
  const end = story.hosted(leader).log.logEndOffset;
  story.pass(2000);
  broker.powerCut();
  broker.start();
  story.until('it leads once more', () => leads(story, leader));
  assert.equal(story.hosted(leader).log.logEndOffset, end, 'what was acknowledged is gone');
  story.heal();
}

export const diskScenarios: Readonly<Record<string, Scenario>> = {
  'full-disks': {
    title: 'F7: replicas whose disks were all full are in sync again once there is room, without an append',
    tell: fullDisks,
  },
  'failed-sync': {
    title: 'F8: a leader that cannot sync acknowledges nothing, and leads no more',
    tell: failedSync,
  },
  'lost-leader-is-found': {
    title: 'F7: a partition without a leader elects its eligible leader when that is found again',
    tell: lostLeaderIsFound,
  },
  'rotten-leader': {
    title: 'F3: what rotted is served to nobody, and is fetched anew from others',
    tell: rottenLeader,
  },
  'start-after-a-failed-sync': {
    title: 'F8, F2: what a start acknowledges after a sync that failed survives a power cut',
    tell: startAfterAFailedSync,
  },
};
