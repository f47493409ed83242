// Who may be in an ISR, who may lead, and what an acknowledgement means then.
import { assert, type Library, type Scenario } from './scenario.ts';

const NOT_ENOUGH_REPLICAS = 19;
const FENCED_LEADER_EPOCH = 74;
const UNKNOWN_LEADER_EPOCH = 75;

/** R17: refused before anything is written; acks=1 is not. */
function belowTheMinimum({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 3 });
  assert.equal(story.produced().errorCode, 0);
  const [stopped = 0] = story.followers;
  story.broker(stopped).terminate();
  story.until('it has left the ISR', () => story.hosted(story.leader).replica.leader?.isr.length === 2);
  const end = story.hosted(story.leader).log.nextAppendOffset;
  assert.equal(story.produced().errorCode, NOT_ENOUGH_REPLICAS);
  assert.equal(story.hosted(story.leader).log.nextAppendOffset, end);
  assert.equal(story.produced(1).errorCode, 0);
  story.heal();
}

/** KAFKA-7128: a fresh leader may hold more that was acknowledged than its high watermark says. */
function joinAtEpochStart({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 2, replicaLagTimeMaxMs: 600, sessionTimeoutMs: 10_000 });
  story.produced();
  story.pass(500);
  const { leader } = story;
  const [second = 0, third = 0] = story.followers;
  story.cutBothWays(leader, third);
  // The second holds the next record, and does not hear that it is committed, once the third has left the ISR.
  const held = story.hold(({ label, to }) => label === 'fetch answered' && (to === second || to === third));
  held.isHolding = false;
  const { log } = story.hosted(second);
  const end = log.logEndOffset;
  const kept = story.produce();
  story.until('it holds the record', () => log.logEndOffset > end);
  held.isHolding = true;
  story.until('the record is acknowledged', () => kept.errorCode === 0);
  assert.deepEqual(new Set(story.partition.isr), new Set([leader, second]));
  assert.equal(log.highWatermark, end);
  story.moveLeader(second);
  // The third has all below the high watermark that the second knows, and gets no more.
  story.mend();
  story.pass(2000);
  assert.ok(!story.partition.isr.includes(third), 'who lacks what is acknowledged is in the ISR');
  held.release();
  story.heal();
}

/** KIP-903: what a leader proposes by the fetches of a process that is no more, the controller refuses. */
function reboot({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 1, replicaLagTimeMaxMs: 600, sessionTimeoutMs: 900 });
  const { leader } = story;
  const [third = 0] = story.followers;
  story.broker(third).kill();
  story.until('it has left the ISR', () => !story.partition.isr.includes(third));
  for (let count = 0; count < 3; count++) assert.equal(story.produced().errorCode, 0);
  const proposals = story.hold(({ label, from }) => label === 'alter partition' && from === leader);
  story.broker(third).start();
  story.until('it is proposed', () => proposals.messages.length > 0);
  // It reboots with an empty disk, and is live again before the proposal comes.
  story.broker(third).kill();
  story.broker(third).disk.wipe();
  story.simulation.world.plane.diskLost(third);
  story.pass(1500);
  const fetches = story.hold(({ label, from, to }) => label === 'fetch' && from === third && to === leader);
  story.broker(third).start();
  story.until(
    'it is live',
    () => story.simulation.world.plane.committedImage.brokers.get(third)?.fenced === false,
  );
  proposals.release();
  story.pass(100);
  assert.ok(!story.partition.isr.includes(third), 'a broker that lost its disk is in the ISR');
  fetches.release();
  story.heal();
}

/** KIP-966: the last one that stands dies, and only who holds all that was acknowledged leads after it. */
function lastReplicaStanding({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 2, sessionTimeoutMs: 800 });
  story.produced();
  const { leader } = story;
  for (const id of story.followers) {
    story.broker(id).terminate();
    story.until('it has stopped', () => story.broker(id).process.state === 'dead');
  }
  story.until('the leader stands alone', () => story.hosted(leader).replica.leader?.isr.length === 1);
  assert.equal(story.produced().errorCode, NOT_ENOUGH_REPLICAS);
  assert.equal(story.produced(1).errorCode, 0);
  story.broker(leader).kill();
  story.until('nobody leads', () => story.leader === -1);
  // Any of those that stopped cleanly holds all that was acknowledged with acks=all.
  const [first = 0] = story.partition.elr.filter((id) => id !== leader);
  story.broker(first).start();
  story.until('it leads', () => story.leader === first);
  assert.equal(story.partition.leaderRecoveryState, 0);
  story.heal();
}

/** A shrink is accepted by a minimum that was raised meanwhile, and the leader has not heard of it. */
function raisedMinimum({ Story }: Library): void {
  const story = new Story({
    minInsyncReplicas: 1,
    replicationFactor: 2,
    replicaLagTimeMaxMs: 600,
    sessionTimeoutMs: 5000,
  });
  story.produced();
  const { leader } = story;
  const [follower = 0] = story.followers;
  story.cutBothWays(leader, follower);
  const waiting = story.produce();
  const metadata = story.hold(({ label, to }) => label === 'metadata fetch answered' && to === leader);
  story.configure(2);
  story.until('the ISR is smaller', () => story.partition.isr.length === 1);
  assert.deepEqual(story.partition.elr, [follower]);
  story.pass(300);
  assert.notEqual(waiting.errorCode, 0, 'acknowledged by one, where two are asked for');
  story.broker(leader).kill();
  metadata.isHolding = false;
  story.mend();
  story.until('the other leads', () => story.leader === follower);
  story.heal();
}

/** R25: a fetch is of the epoch that its leader is in. */
function fetchOfAnotherEpoch({ Story }: Library): void {
  const story = new Story();
  story.produced();
  const { leader } = story;
  const { replica, log, run } = story.hosted(leader);
  const [replicaId = 0] = story.followers;
  const errorOf = (currentLeaderEpoch: number): number => {
    const look = {
      replicaId,
      brokerEpoch: story.broker(replicaId).run?.brokerEpoch ?? -1,
      currentLeaderEpoch,
      fetchOffset: log.logEndOffset,
      lastFetchedEpoch: log.latestLeaderEpoch,
      logStartOffset: 0,
      isReadCommitted: false,
      mayReadFromFollower: false,
    };
    const { verdict } = replica.lookAtFetch(look, 'first', run.moment);
    return verdict.kind === 'refused' ? verdict.errorCode : 0;
  };
  const { leaderEpoch } = replica;
  assert.equal(errorOf(leaderEpoch), 0);
  assert.equal(errorOf(leaderEpoch + 1), UNKNOWN_LEADER_EPOCH);
  if (leaderEpoch > 0) assert.equal(errorOf(leaderEpoch - 1), FENCED_LEADER_EPOCH);
}

/** KIP-903: the fetch of a process that is no more is refused, however late it comes. */
function fetchOfADeadProcess({ Story }: Library): void {
  const story = new Story({ sessionTimeoutMs: 800 });
  story.produced();
  const [third = 0] = story.followers;
  const former = story.broker(third).run?.brokerEpoch ?? -1;
  story.broker(third).kill();
  story.pass(1500);
  story.broker(third).start();
  story.until('it is in sync again', () => story.partition.isr.length === 3);
  const { replica, log, run } = story.hosted(story.leader);
  const look = {
    replicaId: third,
    brokerEpoch: former,
    currentLeaderEpoch: replica.leaderEpoch,
    fetchOffset: log.logEndOffset,
    lastFetchedEpoch: log.latestLeaderEpoch,
    logStartOffset: 0,
    isReadCommitted: false,
    mayReadFromFollower: false,
  };
  assert.equal(replica.lookAtFetch(look, 'first', run.moment).verdict.kind, 'refused');
}

/** F21: a leader that was stopped past its session confirms nothing when it goes on, and follows. */
function zombieLeader({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 2, sessionTimeoutMs: 800 });
  story.produced();
  const zombie = story.leader;
  story.broker(zombie).process.stop();
  const lost = story.produce();
  story.until('another leads', () => story.leader !== zombie && story.leader !== -1);
  story.broker(zombie).process.continue();
  story.pass(5000);
  assert.notEqual(lost.errorCode, 0, 'a deposed leader has acknowledged');
  assert.equal(story.hosted(zombie).replica.role, 'following');
  story.heal();
}

/** F2: every node loses its power at one instant; what was acknowledged was synced by all who counted. */
function powerCutOfAll({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 2, durability: 'flush', sessionTimeoutMs: 800 });
  for (let count = 0; count < 5; count++) assert.equal(story.produced().errorCode, 0);
  story.produce(1);
  for (const broker of story.simulation.world.brokers) broker.powerCut();
  story.pass(2000);
  story.heal();
  assert.equal(story.simulation.witness.hasForgiven, false);
}

/** R21: a leader hears of its next epoch but one alone; in between its followers cut off what they had reported. */
function anotherLedBetween({ Story }: Library): void {
  const story = new Story({ replicaLagTimeMaxMs: 20_000, sessionTimeoutMs: 20_000 });
  story.produced();
  story.pass(500);
  const { leader } = story;
  const [second = 0, third = 0] = story.followers;
  const end = story.hosted(third).log.logEndOffset;
  // The third has a record that the second lacks, and reports it.
  story.cutBothWays(leader, second);
  assert.equal(story.produced(1).errorCode, 0);
  story.until('the third has it', () => story.hosted(third).log.logEndOffset > end);
  story.pass(300);
  const metadata = story.hold(({ label, to }) => label === 'metadata fetch answered' && to === leader);
  story.moveLeader(second);
  story.until('the third has cut it off', () => story.hosted(third).log.logEndOffset === end);
  story.moveLeader(leader);
  story.mend();
  story.cutBothWays(leader, third);
  metadata.isHolding = false;
  story.until('the second has it', () => story.hosted(second).log.logEndOffset > end);
  story.pass(500);
  assert.equal(story.hosted(leader).log.highWatermark, end, 'committed by the report of an earlier epoch');
  story.mend();
  story.heal();
}

/** F29: a request that was answered long ago comes a second time. */
function lateRetry({ Story }: Library): void {
  const story = new Story();
  const second = story.double(({ label }) => label === 'produce');
  for (let count = 0; count < 8; count++) assert.equal(story.produced('idempotent').errorCode, 0);
  const end = story.hosted(story.leader).log.logEndOffset;
  second.release();
  story.pass(100);
  assert.equal(story.hosted(story.leader).log.logEndOffset, end, 'a batch was written twice');
  assert.equal(story.produced('idempotent').errorCode, 0);
  story.heal();
}

export const memberScenarios: Readonly<Record<string, Scenario>> = {
  'below-the-minimum': {
    title: 'R8, R17: below the minimum acks=all is refused, and not written',
    tell: belowTheMinimum,
  },
  'join-at-epoch-start': {
    title: 'KAFKA-7128, R12: who joins holds all up to the start of the epoch',
    tell: joinAtEpochStart,
  },
  reboot: { title: 'KIP-903, F24: a broker that rebooted with an empty disk is in no ISR', tell: reboot },
  'last-replica-standing': {
    title: 'KIP-966, R20: after the last one that stood, who stopped cleanly before it leads',
    tell: lastReplicaStanding,
  },
  'raised-minimum': {
    title: 'KIP-966: a smaller ISR counts when the minimum has come that it was held to',
    tell: raisedMinimum,
  },
  'fetch-of-another-epoch': {
    title: 'KIP-320, R25: a fetch of another epoch is refused',
    tell: fetchOfAnotherEpoch,
  },
  'fetch-of-a-dead-process': {
    title: 'KIP-903, R12: a fetch of a former process is refused',
    tell: fetchOfADeadProcess,
  },
  'another-led-between': {
    title: 'R21: what followers reported counts no more when another may have led in between',
    tell: anotherLedBetween,
  },
  'late-retry': { title: 'F29: a batch that comes again, however late, is written once', tell: lateRetry },
  'zombie-leader': { title: 'F21: a leader that was stopped too long confirms nothing', tell: zombieLeader },
  'power-cut-of-all': {
    title: 'F2: with a sync before each answer a power cut of all loses nothing',
    tell: powerCutOfAll,
  },
};
