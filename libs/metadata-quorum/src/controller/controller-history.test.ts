/**
 * What holds in every history of decisions, whatever was asked for and in which order.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterImage, PartitionImage } from '../image/cluster-image.ts';
import { isActive, LeaderRecoveryState, NO_LEADER } from '../image/cluster-image.ts';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import type { Step } from '../testing/cluster-story.ts';
import { clusterStories, tell } from '../testing/cluster-story.ts';
import { isMoving } from './assignment.ts';
import { minInsyncReplicas } from './topic-setting.ts';

interface Located {
  readonly topic: string;
  readonly key: string;
  readonly partition: PartitionImage;
}

function partitionsOf(image: ClusterImage): readonly Located[] {
  return [...image.topics.values()].flatMap(({ id, name, partitions }) =>
    partitions.map((partition) => ({ topic: name, key: `${id}-${partition.index}`, partition })),
  );
}

/** What is wrong with a partition: nothing. */
function problemsOf(image: ClusterImage, { topic, partition }: Located, elr: boolean): readonly string[] {
  const { leader, isr, replicas, addingReplicas, removingReplicas, lastKnownElr } = partition;
  const active = (id: number): boolean => isActive(image.brokers.get(id));
  const minimum = Math.min(minInsyncReplicas(image, testSchema, topic), replicas.length);
  const lists = [isr, partition.elr, lastKnownElr, addingReplicas, removingReplicas];
  // A move whose end is reached is over; one that an unclean election reached ends with the next change.
  const staying = isr.filter((id) => !removingReplicas.includes(id));
  const isDue = staying.length > 0 && addingReplicas.every((id) => isr.includes(id));
  const isRecovering = partition.leaderRecoveryState === LeaderRecoveryState.RECOVERING;
  const wrong: Readonly<Record<string, boolean>> = {
    'there are no replicas': replicas.length === 0,
    'a replica has no directory': partition.directories.length !== replicas.length,
    'an id stands twice': [replicas, ...lists].some((ids) => new Set(ids).size !== ids.length),
    'a stranger is in a list': lists.flat().some((id) => !replicas.includes(id)),
    'a replica comes and goes': addingReplicas.some((id) => removingReplicas.includes(id)),
    'the leader is not in the ISR': leader !== NO_LEADER && !isr.includes(leader),
    'the leader is not live': leader !== NO_LEADER && !active(leader),
    'the ISR has a member that is not live': !isr.every(active) && (elr || isr.length !== 1),
    'an eligible replica is in the ISR': isr.some((id) => partition.elr.includes(id)),
    'the ISR is large enough, and there are eligible replicas':
      elr && isr.length >= minimum && partition.elr.length + lastKnownElr.length > 0,
    'there are eligible replicas, though they are off': !elr && partition.elr.length > 0,
    'a move is not over': isMoving(partition) && leader !== NO_LEADER && isDue && !isRecovering,
  };
  return Object.keys(wrong).filter((problem) => wrong[problem] === true);
}

/** Epochs rise with what they stand for, and the pair of leader and epoch is never given twice. */
class EpochWitness {
  readonly #last = new Map<string, PartitionImage>();

  look(image: ClusterImage): void {
    for (const { key, partition } of partitionsOf(image)) {
      const before = this.#last.get(key);
      this.#last.set(key, partition);
      if (before === undefined || before === partition) continue;
      expect(partition.partitionEpoch).toBeGreaterThan(before.partitionEpoch);
      expect(partition.leaderEpoch).toBeGreaterThanOrEqual(before.leaderEpoch);
      const left = before.replicas.some((id) => !partition.replicas.includes(id));
      if (partition.leader !== before.leader || left) {
        expect(partition.leaderEpoch).toBeGreaterThan(before.leaderEpoch);
      }
    }
  }
}

/**
 * Who holds all acknowledged records of each partition, taken that records are written all the time: a leader whose
 * ISR reaches the minimum acknowledges what just its ISR has; below the minimum nothing is acknowledged. A leader by an
 * unclean election decides what counts from then on; whoever had all until then still has all of it that is left.
 */
class AcknowledgedWitness {
  readonly #holders = new Map<string, Set<number>>();
  readonly #leaders = new Map<string, number>();

  look(image: ClusterImage, step: Step): void {
    for (const { key, topic, partition } of partitionsOf(image)) {
      const { isr, leader, replicas } = partition;
      const holders = this.#holders.get(key) ?? new Set(isr);
      this.#holders.set(key, holders);
      if (step.kind === 'crash' || step.kind === 'forget') holders.delete(step.broker);
      // Leaders propose only members that have caught up.
      if (step.kind === 'synchronize') for (const id of isr) holders.add(id);
      const recovered = partition.leaderRecoveryState === LeaderRecoveryState.RECOVERED;
      if (leader === NO_LEADER) continue;
      if (recovered && leader !== this.#leaders.get(key)) expect([...holders]).toContain(leader);
      this.#leaders.set(key, leader);
      const minimum = Math.min(minInsyncReplicas(image, testSchema, topic), replicas.length);
      if (isr.length >= minimum) this.#holders.set(key, new Set(isr));
      else for (const id of isr) holders.add(id);
    }
  }
}

/** A cluster that has something to lose, so that short histories say something as well. */
const beginning: readonly Step[] = [
  ...[1, 2, 3, 4].map((broker): Step => ({ kind: 'start', broker })),
  ...['a', 'b'].map((topic): Step => ({ kind: 'create', topic, partitions: 2, replicas: 3 })),
];
const histories = clusterStories.map((story) => [...beginning, ...story]);

describe('histories of decisions', () => {
  it('R20: every image is sound, with and without eligible leader replicas', () => {
    fc.assert(
      fc.property(histories, fc.boolean(), (story, elr) => {
        const epochs = new EpochWitness();
        const cluster = new TestCluster();
        if (!elr) {
          const name = 'eligible.leader.replicas.version';
          cluster.append([{ type: 'FeatureLevelRecord', name, featureLevel: 0 }]);
        }
        tell(
          story,
          ({ image }) => {
            for (const located of partitionsOf(image)) {
              const problems = problemsOf(image, located, elr);
              if (problems.length > 0) throw new Error(`${located.topic}: ${problems.join('; ')}`);
            }
            epochs.look(image);
          },
          cluster,
        );
      }),
      { numRuns: 800 },
    );
  });

  it('R20: a leader that is not marked as RECOVERING holds all that was acknowledged', () => {
    fc.assert(
      fc.property(histories, (story) => {
        const acknowledged = new AcknowledgedWitness();
        tell(story, ({ image }, step) => acknowledged.look(image, step));
      }),
      { numRuns: 800 },
    );
  });
});
