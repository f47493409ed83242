/**
 * A cluster to which things happen one by one, as a test tells them: no chance, no weather, no faults but those told.
 * What must hold is looked at after every event, as in a seed.
 *
 *     const story = new Story({ minInsyncReplicas: 2 });
 *     const kept = story.produce(-1);
 *     story.broker(1).kill();
 *     story.pass(5000);
 *     story.heal();
 */
import type { PartitionImage } from '@seatlog/metadata-quorum';
import type { HostedPartition } from './broker/hosted-partition.ts';
import type { SimulatedBroker } from './broker/simulated-broker.ts';
import type { Produced } from './client/produced.ts';
import type { Message } from './network/simulated-network.ts';
import { CALM_WEATHER } from './network/simulated-network.ts';
import type { Profile } from './profile.ts';
import { Simulation } from './simulation.ts';
import { DEFAULT_SIMULATION_SETTINGS, type SimulationSettings, TOPIC } from './simulation-settings.ts';
import { violated } from './invariants/violation.ts';

/** How its producers ask: with acks, or as one that retries until it is told. */
const MANNERS = [-1, 1, 'idempotent'] as const;

type Manner = (typeof MANNERS)[number];

const LONGEST_WAIT_MS = 60_000;

export class Story {
  readonly simulation: Simulation;

  /** All brokers up, one topic of one partition, in sync. Broker 1 need not lead: `leader` tells who does. */
  constructor(settings: Partial<SimulationSettings> = {}) {
    const profile: Profile = {
      settings: { ...DEFAULT_SIMULATION_SETTINGS, writeMs: 1, ...settings },
      weather: CALM_WEATHER,
      faults: new Map(),
      faultEveryMs: 1,
      producers: MANNERS.map((manner) => ({
        acks: manner === 'idempotent' ? -1 : manner,
        isIdempotent: manner === 'idempotent',
        pauseMs: 1,
        inFlight: 1,
        recordsInBatch: 3,
        backoffMs: 25,
      })),
      consumers: 0,
      consumersReadFollowers: false,
      rotOnTheWay: 0,
    };
    this.simulation = new Simulation({ seed: 1, profile });
    this.simulation.begin();
    this.until('all are in sync', () => this.partition.isr.length === this.partition.replicas.length);
    this.pass(500);
  }

  get partition(): PartitionImage {
    const partition = this.simulation.world.plane.committedImage.topics.get(TOPIC)?.partitions[0];
    return partition ?? violated('a story has a topic', 'it is not there yet');
  }

  get leader(): number {
    return this.partition.leader;
  }

  /** Those that do not lead, in the order of the assignment. */
  get followers(): readonly number[] {
    return this.partition.replicas.filter((id) => id !== this.leader);
  }

  broker(id: number): SimulatedBroker {
    return (
      this.simulation.world.brokers[id - 1] ?? violated('a story has its brokers', `there is no broker ${id}`)
    );
  }

  hosted(id: number): HostedPartition {
    return (
      this.broker(id).run?.partitions.get(0) ??
      violated('a broker hosts the partition', `broker ${id} does not`)
    );
  }

  /** One batch, to the leader. `errorCode` is undefined until it is answered. */
  produce(manner: Manner = -1): Produced {
    return this.simulation.produce(MANNERS.indexOf(manner), 0);
  }

  /** The same, and waits for the answer. */
  produced(manner: Manner = -1): Produced {
    const produced = this.produce(manner);
    this.until('a produce is answered', () => produced.errorCode !== undefined);
    return produced;
  }

  pass(milliseconds: number): void {
    this.simulation.queue.advance(milliseconds);
  }

  until(what: string, isSo: () => boolean): void {
    const { queue } = this.simulation;
    const end = queue.now + LONGEST_WAIT_MS;
    while (!isSo()) if (!queue.runNext(end)) violated('it comes about', what);
  }

  configure(minInsyncReplicas: number): void {
    this.simulation.world.plane.activeService?.configure(minInsyncReplicas);
  }

  moveLeader(to: number): void {
    this.simulation.world.plane.activeService?.moveLeader(0, to);
    this.until(`broker ${to} leads`, () => this.leader === to && this.hosted(to).replica.role === 'leading');
  }

  /** From now on messages that the story wants are kept from their receivers till they are released. */
  hold(isWanted: (message: Message) => boolean): HeldMessages {
    const held = new HeldMessages();
    this.simulation.world.network.intercept = (message) => {
      if (!held.isHolding || !isWanted(message)) return false;
      held.messages.push(message);
      return true;
    };
    return held;
  }

  /** A second delivery of the next message that the story wants, to be made whenever it likes. */
  double(isWanted: (message: Message) => boolean): HeldMessages {
    const held = new HeldMessages();
    this.simulation.world.network.intercept = (message) => {
      if (held.messages.length === 0 && isWanted(message)) held.messages.push(message);
      return false;
    };
    return held;
  }

  cutBothWays(one: number, other: number): void {
    const { network } = this.simulation.world;
    network.cut(one, other);
    network.cut(other, one);
  }

  mend(): void {
    this.simulation.world.network.mend();
  }

  /** Everything comes up, and the cluster must come to rest with all that it promised. */
  heal(): void {
    this.simulation.heal();
  }
}

export class HeldMessages {
  readonly messages: Message[] = [];
  isHolding = true;

  /** Those that were kept arrive now, in their order; what comes after them is let through. */
  release(): void {
    this.isHolding = false;
    for (const { deliver } of this.messages.splice(0)) deliver();
  }
}
