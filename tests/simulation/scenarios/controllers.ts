// What the controller keeps of partitions, and how the metadata come to those who lack them.
import { assert, type Library, type Scenario } from './scenario.ts';

/** R14: no eligible leader replicas are kept: the last one stays in its ISR, and nobody else leads. */
function withoutEligibleLeaders({ Story }: Library): void {
  const story = new Story({ eligibleLeaderReplicas: false, minInsyncReplicas: 2, sessionTimeoutMs: 800 });
  const kept = story.produced();
  assert.equal(kept.errorCode, 0);
  const { leader, followers } = story;
  for (const id of followers) {
    story.broker(id).kill();
    story.until('it has left the ISR', () => !story.partition.isr.includes(id));
  }
  assert.equal(story.produced(1).errorCode, 0);
  story.broker(leader).kill();
  story.until('nobody leads', () => story.leader === -1);
  assert.deepEqual([story.partition.isr, story.partition.elr], [[leader], []]);
  for (const id of followers) story.broker(id).start();
  story.pass(3000);
  assert.equal(story.leader, -1, 'one leads that may lack what was acknowledged');
  story.broker(leader).start();
  story.until('it leads', () => story.leader === leader);
  assert.equal(story.partition.leaderRecoveryState, 0);
  story.heal();
}

/** The log of the metadata begins behind what a broker has: a snapshot tells it the rest. */
function snapshotFor({ Story }: Library, disk: 'kept' | 'empty'): void {
  const story = new Story({
    steadyController: false,
    controllers: 3,
    batchesBetweenSnapshots: 3,
    sessionTimeoutMs: 900,
  });
  assert.equal(story.produced().errorCode, 0);
  const [behind = 0] = story.followers;
  story.broker(behind).kill();
  story.until('it has left the ISR', () => !story.partition.isr.includes(behind));
  if (disk === 'empty') {
    story.broker(behind).disk.wipe();
    story.simulation.world.plane.diskLost(behind);
  }
  for (let change = 0; change < 8; change++) {
    story.configure(1 + (change % 2));
    story.pass(100);
  }
  let pieces = 0;
  story.hold(({ label, to }) => {
    if (label === 'quorum fetchSnapshot answered' && to === behind) pieces += 1;
    return false;
  });
  story.broker(behind).start();
  story.until('it is in sync', () => story.partition.isr.includes(behind));
  assert.ok(pieces > 1, `the snapshot came in ${pieces} pieces`);
  story.heal();
}

const VOTERS: readonly number[] = [101, 102, 103];

/** Three voters that fail; tells who leads them and who follows. */
function quorumOf({ Story }: Library) {
  const story = new Story({ steadyController: false, controllers: 3, sessionTimeoutMs: 20_000 });
  const { plane } = story.simulation.world;
  const leader = plane.activeNode;
  const [one = 0, other = 0] = VOTERS.filter((id) => id !== leader);
  const isolate = (id: number): void => {
    for (const voter of VOTERS) if (voter !== id) story.cutBothWays(id, voter);
  };
  const changed = (minimum: number): void => {
    const { lastOffset } = plane.committedImage;
    story.configure(minimum);
    story.until('it is committed', () => plane.committedImage.lastOffset > lastOffset);
  };
  return { story, plane, leader, one, other, isolate, changed };
}

/** Raft: one that lacks what is committed stands, and nobody else does. */
function voteForAShorterLog(library: Library): void {
  const { story, leader, one, other, isolate, changed } = quorumOf(library);
  story.cutBothWays(leader, one);
  story.cutBothWays(one, other);
  changed(1);
  story.mend();
  isolate(leader);
  // The other would stand as well, and win.
  const held = story.hold(({ label, from }) => label === 'quorum vote' && from === other);
  story.pass(3000);
  held.release();
  story.mend();
  story.until('a voter leads', () => VOTERS.includes(story.simulation.world.plane.activeNode));
  changed(2);
  story.heal();
}

/** Raft: a leader that was cut off has written what nobody else has, and follows another. */
function deposedController(library: Library): void {
  const { story, plane, leader, isolate, changed } = quorumOf(library);
  isolate(leader);
  for (const id of story.partition.replicas) story.cutBothWays(id, leader);
  story.configure(1);
  story.configure(2);
  story.until('another leads', () => plane.activeNode !== leader && plane.activeNode !== -1);
  for (const minimum of [1, 2, 1, 2]) changed(minimum);
  story.mend();
  story.pass(2000);
  changed(1);
  story.heal();
}

export const controllerScenarios: Readonly<Record<string, Scenario>> = {
  'without-eligible-leaders': {
    title: 'R14, R20: where no eligible leaders are kept, the last one in the ISR is waited for',
    tell: withoutEligibleLeaders,
  },
  'vote-for-a-shorter-log': {
    title: 'F26: a controller that lacks what is committed is not elected, though it stands alone',
    tell: voteForAShorterLog,
  },
  'deposed-controller': {
    title: 'F26: what a controller wrote while it was cut off is cut away when it follows another',
    tell: deposedController,
  },
  'snapshot-for-an-empty-disk': {
    title: 'F24: a broker with an empty disk learns the metadata by a snapshot, piece by piece',
    tell: (library) => snapshotFor(library, 'empty'),
  },
  'snapshot-for-those-behind': {
    title: 'F26: a broker that was away learns by a snapshot what the metadata log has no more',
    tell: (library) => snapshotFor(library, 'kept'),
  },
};
