import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  allocateProducerIds,
  type ClusterImage,
  createTopics,
  emptyImage,
  encodeSnapshot,
  imageRecords,
  LeaderRecoveryState,
  partitionOf,
} from '@seatlog/metadata-quorum';
import { QuorumWorld } from './testing/quorum-world.ts';

const topic = (name: string) => ({
  name,
  numPartitions: 2,
  replicationFactor: 1,
  assignments: [],
  configs: [],
});

/** Which call meets the power cut, and how it says so, differs from moment to moment. */
function untilPowerCut(action: () => void): void {
  try {
    action();
  } catch {
    return;
  }
}

describe('the only voter of a quorum', () => {
  it('leads, and applies images from the moment that its replicas are attached', () => {
    const world = new QuorumWorld();
    const run = world.start();
    expect(run.applied.map(({ image }) => image.brokers.get(1))).toMatchObject([
      { id: 1, epoch: run.brokerEpoch, fenced: true, inControlledShutdown: false },
      { id: 1, epoch: run.brokerEpoch, fenced: false, inControlledShutdown: false },
    ]);
    expect(run.node.controllerId).toBe(1);
    expect(run.node.image.features.get('metadata.version')).toBe(29);
  });

  it('applies, then tells listeners, then answers', () => {
    const world = new QuorumWorld();
    const run = world.start();
    const order: string[] = [];
    run.onApply = (image) => order.push(`applied ${image.topics.has('a')}`);
    run.node.subscribe((image) => order.push(`heard ${image.topics.has('a')}`));
    run.create('a', (outcome) => order.push(`answered ${outcome.kind}`));
    expect(order).toEqual([]);
    world.settle();
    expect(order).toEqual(['applied true', 'heard true', 'answered committed']);
  });

  it('answers nothing while the disk has not synced the records', () => {
    const world = new QuorumWorld();
    const run = world.start();
    const answers: string[] = [];
    const release = world.holdSyncs();
    run.create('a', ({ kind }) => answers.push(kind));
    world.settle();
    expect(answers).toEqual([]);
    expect(run.node.image.topics.has('a')).toBe(false);
    release();
    world.settle();
    expect(answers).toEqual(['committed']);
  });

  it('F26: knows after a clean stop what it knew before, in a later epoch', () => {
    const world = new QuorumWorld();
    const first = world.start();
    first.createNow('a');
    const before = first.node.image;
    world.stop();
    const second = world.start();
    expect([...second.node.image.topics.keys()]).toEqual(['a']);
    expect(second.node.image.topics.get('a')?.id).toBe(before.topics.get('a')?.id);
    expect(second.node.image.lastEpoch).toBe(before.lastEpoch + 1);
    expect(second.brokerEpoch).toBeGreaterThan(first.brokerEpoch);
  });

  it('R20: raises leader epochs over a restart, and after a clean stop nothing is RECOVERING', () => {
    const world = new QuorumWorld();
    const first = world.start();
    first.createNow('a');
    const epoch = partitionOf(first.node.image, 'a', 0)?.leaderEpoch ?? -1;
    world.stop();
    const second = world.start();
    expect(second.metrics.uncleanLeaderElections).toBe(0);
    expect(partitionOf(second.node.image, 'a', 0)).toMatchObject({
      leader: 1,
      isr: [1],
      leaderRecoveryState: LeaderRecoveryState.RECOVERED,
    });
    expect(partitionOf(second.node.image, 'a', 0)?.leaderEpoch).toBeGreaterThan(epoch);
  });

  it('F25: counts leaders that had to be elected after a crash', () => {
    const world = new QuorumWorld();
    world.start().createNow('a');
    world.crash();
    const second = world.start();
    expect(second.metrics.uncleanLeaderElections).toBe(2);
    expect(second.applied.map(({ image }) => partitionOf(image, 'a', 0))).toMatchObject([
      { leader: -1, leaderRecoveryState: LeaderRecoveryState.RECOVERED },
      { leader: 1, leaderRecoveryState: LeaderRecoveryState.RECOVERING },
    ]);
  });

  it('F26: loses nothing that was answered when the power goes, at any of many moments', () => {
    for (let moment = 0; moment < 40; moment += 1) {
      const world = new QuorumWorld(moment);
      const run = world.start();
      const answered: string[] = [];
      for (let index = 0; index < 10; index += 1) {
        run.create(`topic-${index}`, ({ kind }) => {
          if (kind === 'committed') answered.push(`topic-${index}`);
        });
        world.settle(moment - 4 * index);
      }
      const epoch = run.node.image.lastEpoch;
      world.powerCut();
      const after = world.start().node.image;
      expect([...after.topics.keys()]).toEqual(expect.arrayContaining(answered));
      expect(after.lastEpoch).toBeGreaterThan(epoch);
    }
  });

  it('F26: survives a power cut at every change of the disk, over starts and snapshots', () => {
    const options = { bytesBetweenSnapshots: 1500 };
    /** Two runs with topics; what was answered and the epochs that were seen are kept, whatever happens meanwhile. */
    const story = (world: QuorumWorld, answered: string[], epochs: number[]): void => {
      for (const name of ['first', 'second']) {
        const run = world.start();
        epochs.push(run.node.image.lastEpoch);
        for (let index = 0; index < 5; index += 1) {
          run.createNow(`${name}-${index}`);
          answered.push(`${name}-${index}`);
        }
        world.stop();
      }
    };
    const whole = new QuorumWorld(1, options);
    story(whole, [], []);
    const changes = whole.diskChanges;
    expect(changes).toBeGreaterThan(60);
    for (let moment = 1; moment <= changes; moment += 1) {
      const world = new QuorumWorld(moment, options);
      const answered: string[] = [];
      const epochs: number[] = [];
      world.powerOffAfter(moment);
      untilPowerCut(() => story(world, answered, epochs));
      world.powerCut();
      const { image } = world.start().node;
      expect([...image.topics.keys()], `power cut at change ${moment}`).toEqual(
        expect.arrayContaining(answered),
      );
      expect(image.lastEpoch).toBeGreaterThan(epochs.at(-1) ?? 0);
    }
  });

  it('never gives a block of producer ids twice, whatever is lost', () => {
    const world = new QuorumWorld();
    const firsts: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const run = world.start();
      run.node.change(
        (image: ClusterImage) => allocateProducerIds(image, 1, run.brokerEpoch),
        (outcome) => outcome.kind === 'committed' && firsts.push(outcome.answer.firstProducerId),
      );
      world.settle();
      world.powerCut();
    }
    expect(firsts).toEqual([0, 1000, 2000, 3000]);
  });

  it('F7: undoes what a full disk did not take, says so, and goes on when there is room', () => {
    const world = new QuorumWorld();
    const run = world.start();
    const outcomes: unknown[] = [];
    const full = world.fillDisk();
    run.create('a', (outcome) => outcomes.push(outcome));
    run.create('b', (outcome) => outcomes.push(outcome));
    world.settle();
    expect(outcomes).toMatchObject([
      { kind: 'failed', errorCode: ErrorCode.KAFKA_STORAGE_ERROR },
      { kind: 'failed', errorCode: ErrorCode.KAFKA_STORAGE_ERROR },
    ]);
    expect(run.node.image.topics.size).toBe(0);
    world.pass(10_000);
    expect(run.node.term).toBeNull();
    expect(run.fatal).toEqual([]);
    full.free();
    world.pass(10_000);
    run.createNow('a');
    expect([...run.node.image.topics.keys()]).toEqual(['a']);
  });

  it('F8: cannot go on after a failed sync: answers so, and says so once', () => {
    const world = new QuorumWorld();
    const run = world.start();
    world.failSyncs();
    const outcomes: unknown[] = [];
    run.create('a', (outcome) => outcomes.push(outcome));
    world.settle();
    run.create('b', (outcome) => outcomes.push(outcome));
    world.settle();
    expect(outcomes).toMatchObject([{ kind: 'failed' }, { kind: 'failed' }]);
    expect(run.fatal).toHaveLength(1);
  });

  it('stops, and answers no success, when an image cannot be applied', () => {
    const world = new QuorumWorld();
    const run = world.start();
    run.onApply = () => {
      throw new Error('no more file descriptors');
    };
    const outcomes: unknown[] = [];
    run.create('a', (outcome) => outcomes.push(outcome));
    world.settle();
    expect(outcomes).toMatchObject([{ kind: 'failed' }]);
    expect(run.fatal.map(({ message }) => message)).toEqual(['no more file descriptors']);
  });

  it('refuses changes before it leads and after it is closed with NOT_CONTROLLER', () => {
    const world = new QuorumWorld();
    const codes: unknown[] = [];
    const attempt = (node: typeof run.node) =>
      node.change(
        () => ({ records: [], answer: null }),
        (outcome) => codes.push(outcome.kind === 'failed' ? outcome.errorCode : 0),
      );
    const run = world.open();
    attempt(run.node);
    world.startOpened(run);
    attempt(run.node);
    run.node.abandon();
    attempt(run.node);
    expect(codes).toEqual([ErrorCode.NOT_CONTROLLER, 0, ErrorCode.NOT_CONTROLLER]);
  });
});

describe('snapshots of the metadata log', () => {
  const bytesBetweenSnapshots = 4000;

  function manyTopics(world: QuorumWorld): ClusterImage {
    const run = world.start();
    for (let index = 0; index < 40; index += 1) run.createNow(`topic-${index}`);
    return run.node.image;
  }

  it('are written as the log grows; the log before the latest one is deleted', () => {
    const world = new QuorumWorld(1, { bytesBetweenSnapshots });
    manyTopics(world);
    const files = world.metadataFiles();
    const snapshots = files.filter((name) => name.endsWith('.checkpoint'));
    expect(snapshots).toHaveLength(1);
    const endOffset = Number(snapshots[0]?.slice(0, 20));
    expect(endOffset).toBeGreaterThan(50);
    expect(world.metadataLog()?.logStartOffset).toBe(endOffset);
  });

  it('F26: and the log after it give the same image as before', () => {
    for (const end of ['stop', 'crash', 'powerCut'] as const) {
      const world = new QuorumWorld(1, { bytesBetweenSnapshots });
      const before = manyTopics(world);
      world[end]();
      const { image } = world.lead().node;
      expect([...imageRecords(image)]).toEqual([...imageRecords(before)]);
      // The record of the election is all that was added.
      expect(image).toMatchObject({ lastOffset: before.lastOffset + 1, lastEpoch: before.lastEpoch + 1 });
    }
  });

  it('are written after a time as well', () => {
    const world = new QuorumWorld(1, { bytesBetweenSnapshots: 1_000_000, maxIntervalMs: 60_000 });
    const snapshots = () => world.metadataFiles().filter((name) => name.endsWith('.checkpoint'));
    world.start().createNow('a');
    world.pass(59_000);
    expect(snapshots()).toEqual([]);
    world.pass(2000);
    expect(snapshots()).toHaveLength(1);
    // Nothing was committed since.
    world.pass(120_000);
    expect(snapshots()).toHaveLength(1);
  });

  it('F26: a damaged one is passed over for the one before, if there is one', () => {
    const world = new QuorumWorld(1, { bytesBetweenSnapshots: 1_000_000 });
    const before = manyTopics(world);
    world.stop();
    world.plant('00000000000000000099-0000000001.checkpoint', 'garbage');
    world.plant('00000000000000000098-0000000001.checkpoint.tmp', 'half');
    expect([...world.lead().node.image.topics.keys()]).toEqual([...before.topics.keys()]);
    expect(world.metadataFiles().filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('F26: takes the place of a log that it does not fit, as when a crash came between the two', () => {
    const world = new QuorumWorld(1, { bytesBetweenSnapshots: 1_000_000 });
    const { features } = manyTopics(world);
    world.stop();
    // As a leader of a later epoch had it, which this node had not followed so far.
    const foreign = { ...emptyImage, features, lastOffset: 20, lastEpoch: 9 };
    world.plant('00000000000000000021-0000000009.checkpoint', Buffer.concat([...encodeSnapshot(foreign, 1)]));
    const run = world.lead();
    expect(world.metadataLog()?.logStartOffset).toBe(21);
    expect(run.node.image.topics.size).toBe(0);
    expect(run.node.image.lastEpoch).toBe(10);
  });

  it('F26: refuses to start without the snapshot that stands for the log', () => {
    const world = new QuorumWorld(1, { bytesBetweenSnapshots });
    manyTopics(world);
    world.stop();
    for (const name of world.metadataFiles()) {
      if (name.endsWith('.checkpoint')) world.plant(name, 'garbage');
    }
    expect(() => world.open()).toThrow(expect.objectContaining({ code: 'FOLD_MISMATCH' }));
  });

  it('F6: a garbled quorum state costs no epoch', () => {
    const world = new QuorumWorld();
    const { lastEpoch } = world.start().node.image;
    world.stop();
    world.plant('quorum-state', '{"leaderEpoch":');
    expect(world.start().node.image.lastEpoch).toBe(lastEpoch + 1);
  });
});

describe('createTopics on a node', () => {
  it('lets one of two requests for the same name win', () => {
    const world = new QuorumWorld();
    const run = world.start();
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      run.node.change(
        (image) => createTopics(image, { topics: [topic('a')], validateOnly: false }, run.context),
        (outcome) => codes.push(outcome.kind === 'committed' ? outcome.answer[0]?.errorCode : outcome.kind),
      );
    }
    world.settle();
    expect(codes).toEqual([0, ErrorCode.TOPIC_ALREADY_EXISTS]);
  });
});
