// Kafka's own history of logs that parted ways, and what a follower may take and report.
import { assert, type Library, type Scenario } from './scenario.ts';

/** KIP-101: a follower has what is acknowledged, and has not heard that it is committed. */
function restartBelowTheHighWatermark({ Story }: Library): void {
  const story = new Story({ replicationFactor: 2, minInsyncReplicas: 2, sessionTimeoutMs: 900 });
  story.produced();
  const { leader } = story;
  const [follower = 0] = story.followers;
  const held = story.hold(({ label, to }) => label === 'fetch answered' && to === follower);
  held.isHolding = false;
  const { log } = story.hosted(follower);
  const end = log.logEndOffset;
  const kept = story.produce();
  story.until('it holds the record', () => log.logEndOffset > end);
  held.isHolding = true;
  story.until('the record is acknowledged', () => kept.errorCode === 0);
  story.broker(follower).terminate();
  story.until('it has stopped', () => story.broker(follower).process.state === 'dead');
  held.isHolding = false;
  story.cutBothWays(leader, follower);
  story.broker(follower).start();
  story.until(
    'it follows again',
    () => story.broker(follower).run?.partitions.get(0)?.replica.role === 'following',
  );
  story.pass(50);
  story.broker(leader).kill();
  story.until('it leads', () => story.leader === follower);
  story.heal();
}

/** KIP-279: leaders change fast, and each appends something that no other has. */
function fastLeaderChanges({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 1, sessionTimeoutMs: 800 });
  story.produced();
  for (let round = 0; round < 4; round++) {
    const { leader } = story;
    for (const other of story.followers) story.cutBothWays(leader, other);
    story.produce(1);
    story.pass(20);
    const [next = leader] = story.partition.isr.filter((id) => id !== leader);
    story.moveLeader(next);
    story.mend();
    story.pass(round % 2 === 0 ? 5 : 400);
  }
  story.heal();
}

/** KAFKA-10706: an epoch in which nothing was appended leaves the cache of whoever began it. */
function emptyEpoch({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 2 });
  story.produced();
  const first = story.leader;
  const [second = 0, third = 0] = story.followers;
  story.moveLeader(second);
  story.moveLeader(third);
  story.produced();
  story.moveLeader(first);
  story.produced();
  story.heal();
  const epochs = [first, second, third].map((id) => JSON.stringify(story.hosted(id).log.epochs));
  assert.equal(new Set(epochs).size, 1, `epoch caches differ: ${epochs.join(' ')}`);
}

/** KAFKA-18723: the leader was elected anew while it answered. */
function laterEpochInAnAnswer({ Story }: Library): void {
  const story = new Story();
  story.produced();
  const [follower = 0] = story.followers;
  const hosted = story.hosted(follower);
  const before = hosted.log.logEndOffset;
  const held = story.hold(({ label, to }) => label === 'fetch answered' && to === follower);
  story.produce(1);
  story.until('an answer is on its way', () => held.messages.length > 0);
  // As if the batch had been appended in an epoch that the follower does not know yet.
  for (const { bytes } of story.hosted(story.leader).log.batches.slice(-1)) bytes[15] = (bytes[15] ?? 0) + 5;
  held.release();
  story.pass(50);
  assert.equal(hosted.log.logEndOffset, before, 'a batch of a later epoch was appended');
}

/** R11: a stopped follower stays in the ISR as long as nothing is written, and leaves it when something is. */
function stoppedFollower({ Story }: Library): void {
  const story = new Story({ sessionTimeoutMs: 30_000, replicaLagTimeMaxMs: 1000 });
  story.produced();
  story.pass(500);
  const [stopped = 0] = story.followers;
  story.broker(stopped).process.stop();
  story.pass(6000);
  assert.equal(story.partition.isr.length, 3);
  const produced = story.produced();
  assert.equal(produced.errorCode, 0);
  assert.ok(!story.partition.isr.includes(stopped));
  story.heal();
}

/** KAFKA-13141: a fetch that is answered with where the logs part reports nothing. */
function divergenceIsNoReport({ Story }: Library): void {
  const story = new Story({
    replicationFactor: 2,
    minInsyncReplicas: 2,
    replicaLagTimeMaxMs: 5000,
    sessionTimeoutMs: 5000,
  });
  story.produced();
  const { leader: former } = story;
  const [next = 0] = story.followers;
  story.cutBothWays(former, next);
  for (let count = 0; count < 3; count++) assert.equal(story.produced(1).errorCode, 0);
  story.moveLeader(next);
  const waiting = story.produce();
  story.until(
    'it is written',
    () => story.hosted(next).log.logEndOffset > story.hosted(next).log.highWatermark,
  );
  // One fetch comes through, of a log that is longer than the new leader's; then none.
  let fetches = 0;
  let isMended = false;
  const held = story.hold(
    ({ label, from, to }) => label === 'fetch' && from === former && to === next && isMended && fetches++ > 0,
  );
  isMended = true;
  story.mend();
  story.until('it has fetched', () => fetches > 0);
  story.pass(300);
  assert.notEqual(waiting.errorCode, 0, 'acknowledged on the report of a log that differs');
  held.release();
  story.heal();
}

/** KAFKA-14704: the high watermark that comes with a truncation speaks of the log after it. */
function highWatermarkOfATruncation({ Story }: Library): void {
  const story = new Story({ minInsyncReplicas: 2, replicaLagTimeMaxMs: 600, sessionTimeoutMs: 5000 });
  story.produced();
  const { leader: former } = story;
  const [next = 0, third = 0] = story.followers;
  story.cutBothWays(former, next);
  story.cutBothWays(former, third);
  for (let count = 0; count < 2; count++) assert.equal(story.produced(1).errorCode, 0);
  story.moveLeader(next);
  for (let count = 0; count < 4; count++) assert.equal(story.produced('idempotent').errorCode, 0);
  story.mend();
  story.heal();
}

/** A leader that is cut off goes on by itself for some batches; another one commits some and deletes them all. */
function partedAndDeleted({ Story }: Library, alone: number, committed: number) {
  const story = new Story({ minInsyncReplicas: 2, replicaLagTimeMaxMs: 600, sessionTimeoutMs: 5000 });
  story.produced();
  const { leader: former } = story;
  const [next = 0, third = 0] = story.followers;
  story.cutBothWays(former, next);
  story.cutBothWays(former, third);
  for (let count = 0; count < alone; count++) assert.equal(story.produced(1).errorCode, 0);
  story.moveLeader(next);
  const hosted = story.hosted(next);
  for (let count = 0; count < committed; count++) assert.equal(story.produced('idempotent').errorCode, 0);
  const { highWatermark: start } = hosted.log;
  hosted.log.raiseLogStart(start);
  hosted.tellLeader({ type: 'log-start-raised' });
  return { story, former, start };
}

type Parted = ReturnType<typeof partedAndDeleted>;

/** Batches are of one to three records: the numbers of them are sought with which the two logs lie as they should. */
function partedSo(library: Library, isSo: (parted: Parted) => boolean): Parted {
  for (let alone = 1; alone < 6; alone++) {
    for (let committed = 1; committed < 6; committed++) {
      const parted = partedAndDeleted(library, alone, committed);
      if (isSo(parted)) return parted;
    }
  }
  return assert.fail('two logs never lie as they should');
}

/** It joins and leads before it hears where the log of the leader begins. */
function comesBackAndLeads({ story, former, start }: Parted): void {
  const { log } = story.hosted(former);
  const held = story.hold(
    ({ label, to }) =>
      label === 'fetch answered' && to === former && log.logEndOffset === start && isInLine(),
  );
  const isInLine = (): boolean => story.partition.isr.includes(former);
  story.mend();
  story.until('it is in sync', isInLine);
  story.moveLeader(former);
  assert.equal(log.logStartOffset, start, 'it kept what was deleted, or something else');
  held.release();
  story.heal();
}

/** R24: of an epoch that has nothing left on the leader a follower has something of another history. */
function divergenceBelowTheLogStart(library: Library): void {
  const goesOn = ({ story, former, start }: Parted): boolean =>
    story.hosted(former).log.batches.some(({ baseOffset }) => baseOffset === start);
  comesBackAndLeads(partedSo(library, goesOn));
}

/** R23: the same, and its log ends just where the leader’s begins. */
function endsAtTheLogStart(library: Library): void {
  const endsThere = ({ story, former, start }: Parted): boolean =>
    story.hosted(former).log.logEndOffset === start;
  comesBackAndLeads(partedSo(library, endsThere));
}

export const followerScenarios: Readonly<Record<string, Scenario>> = {
  'restart-below-the-high-watermark': {
    title: 'KIP-101, R24: a follower keeps what is committed, though it had not heard of it when it stopped',
    tell: restartBelowTheHighWatermark,
  },
  'fast-leader-changes': {
    title: 'KIP-279, R24: logs of leaders that changed fast become one',
    tell: fastLeaderChanges,
  },
  'empty-epoch': { title: 'KAFKA-10706, R24: an epoch without records leaves the cache', tell: emptyEpoch },
  'divergence-is-no-report': {
    title: 'KAFKA-13141, R23: a fetch that diverges is no progress',
    tell: divergenceIsNoReport,
  },
  'high-watermark-of-a-truncation': {
    title: 'KAFKA-14704, R4: the high watermark of a truncating answer is not applied to the log before',
    tell: highWatermarkOfATruncation,
  },
  'divergence-below-the-log-start': {
    title: 'R24: a history that parts below the leader’s log start is dropped as a whole',
    tell: divergenceBelowTheLogStart,
  },
  'ends-at-the-log-start': {
    title: 'R23: a history that ends at the leader’s log start, in an epoch that is left nowhere, is dropped',
    tell: endsAtTheLogStart,
  },
  'later-epoch-in-an-answer': {
    title: 'KAFKA-18723, R28: no batch of a later epoch than that of the fetch is appended',
    tell: laterEpochInAnAnswer,
  },
  'stopped-follower': {
    title: 'R11: a silent follower leaves the ISR when it lacks something, and not before',
    tell: stoppedFollower,
  },
};
