/**
 * One seed, from beginning to end: a cluster is made, its clients work, faults happen, and after every event what must
 * hold is looked at. Then everything heals, and the cluster must come to rest: one leader for each partition, all
 * replicas in sync and alike, and a producer is answered.
 *
 *     const { failure, traceHash } = simulate({ seed: 7, events: 3000 });
 */
import type { ClusterImage } from '@seatlog/metadata-quorum';
import { SeededRandom } from '@seatlog/runtime/testing';
import { SimulatedBroker } from './broker/simulated-broker.ts';
import type { Produced } from './client/produced.ts';
import { SimulatedConsumer } from './client/simulated-consumer.ts';
import { SimulatedProducer } from './client/simulated-producer.ts';
import { QuorumPlane } from './controller/quorum-plane.ts';
import { SteadyController } from './controller/steady-controller.ts';
import type { MetadataPlane } from './controller/metadata-plane.ts';
import { Nemesis } from './faults/nemesis.ts';
import { RotOnTheWay } from './faults/rot-on-the-way.ts';
import { ClientWitness } from './invariants/client-witness.ts';
import { ClusterWitness } from './invariants/cluster-witness.ts';
import { convergenceProblem, lookAtRest } from './invariants/convergence.ts';
import { Violation, violated } from './invariants/violation.ts';
import { CALM_WEATHER, SimulatedNetwork } from './network/simulated-network.ts';
import { drawProfile, extendedProfile, type Profile } from './profile.ts';
import { EventQueue } from './schedule/event-queue.ts';
import { Trace, type TraceLine } from './schedule/trace.ts';
import { FIRST_CLIENT, type SimulationSettings } from './simulation-settings.ts';
import type { World } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** How many events with faults; healing adds its own. */
  readonly events?: number;
  /** In place of what the seed would draw. */
  readonly profile?: Profile;
  /** Without what profiles were extended by: seeds of before tell again what they told then. */
  readonly isPlain?: boolean;
  /** What the brokers' logs are made of; the fast model if not said. */
  readonly log?: SimulationSettings['log'];
  readonly trace?: TraceLine;
}

export interface SimulationResult {
  readonly seed: number;
  readonly events: number;
  readonly traceHash: string;
  /** Null if all held. */
  readonly failure: { readonly promise: string; readonly message: string } | null;
  readonly elections: number;
  readonly acknowledged: number;
  readonly committed: number;
}

export const DEFAULT_EVENTS = 3000;
/** Sessions, lag, time-outs and back-offs, a few times over. */
const HEALING_MS = 60_000;
const HEALING_EVENTS = 60_000;
const BEGIN_MS = 3000;

export class Simulation {
  readonly seed: number;
  readonly profile: Profile;
  readonly queue: EventQueue;
  readonly world: World;
  readonly witness: ClusterWitness;
  readonly clients: ClientWitness;
  readonly nemesis: Nemesis;
  readonly #network: SimulatedNetwork;
  readonly #plane: MetadataPlane;
  readonly #producers: readonly SimulatedProducer[];
  readonly #consumers: readonly SimulatedConsumer[];

  constructor({ seed, profile, isPlain = false, log, trace }: SimulationOptions) {
    this.seed = seed;
    // Chance of its own for each part: what one part draws does not move the others.
    const random = (part: number): SeededRandom => new SeededRandom(seed * 16 + part);
    const plain = profile ?? drawProfile(new SeededRandom(seed));
    const drawn = isPlain || profile !== undefined ? plain : extendedProfile(plain, random(6));
    const settings = { ...drawn.settings, log: log ?? drawn.settings.log };
    this.profile = { ...drawn, settings };
    this.queue = new EventQueue(new Trace(trace ?? null));
    this.#network = new SimulatedNetwork(this.queue, random(1));
    this.witness = new ClusterWitness(settings, () => this.world);
    const planeOptions = {
      queue: this.queue,
      network: this.#network,
      random: random(2),
      settings,
      committed: (image: ClusterImage) => this.witness.metadataCommitted(image),
    };
    const quorum = settings.steadyController ? null : new QuorumPlane(planeOptions);
    this.#plane = quorum ?? new SteadyController(planeOptions);
    const brokers: SimulatedBroker[] = [];
    this.world = {
      settings,
      queue: this.queue,
      random: random(3),
      network: this.#network,
      rotOnTheWay: new RotOnTheWay(random(7)),
      witness: this.witness,
      plane: this.#plane,
      brokers,
    };
    for (let id = 1; id <= settings.brokers; id++) brokers.push(new SimulatedBroker(id, this.world));
    for (const { process } of brokers) this.#network.join(process);
    this.clients = new ClientWitness(this.witness);
    let node = FIRST_CLIENT;
    const told = (produced: Produced): void => this.clients.told(produced);
    this.#producers = this.profile.producers.map(
      (habits, at) => new SimulatedProducer(node++, this.world, random(8 + at), habits, told),
    );
    this.#consumers = Array.from(
      { length: this.profile.consumers },
      () =>
        new SimulatedConsumer(
          node++,
          this.world,
          random(4),
          this.profile.consumersReadFollowers,
          (partition, batch) => this.clients.consumed(partition, batch),
        ),
    );
    this.nemesis = new Nemesis(this.world, random(5), this.profile, quorum);
  }

  /** All brokers up, the topic created, its followers caught up; then clients, weather and faults begin. */
  begin(): void {
    for (const broker of this.world.brokers) broker.start();
    this.queue.advance(BEGIN_MS / 3);
    this.#plane.activeService?.createTopic();
    this.queue.advance(BEGIN_MS / 3);
  }

  /** One batch by one of the producers. */
  produce(producer: number, partition: number): Produced {
    const chosen = this.#producers[producer];
    if (chosen === undefined) throw new Error(`there is no producer ${producer}`);
    return chosen.produce(partition, () => {});
  }

  disturb(): void {
    this.#network.weather = this.profile.weather;
    this.world.rotOnTheWay.share = this.profile.rotOnTheWay;
    for (const producer of this.#producers) producer.begin();
    for (const consumer of this.#consumers) consumer.begin();
    this.nemesis.begin();
  }

  /** All mended, all up: looks at it till it has come to rest, or too much time has passed. */
  heal(): void {
    this.#network.weather = CALM_WEATHER;
    this.world.rotOnTheWay.share = 0;
    for (const producer of this.#producers) producer.rest();
    for (const consumer of this.#consumers) consumer.rest();
    this.nemesis.heal();
    const until = this.queue.now + HEALING_MS;
    const lastEvent = this.queue.count + HEALING_EVENTS;
    this.#settle(until, lastEvent);
    // A cluster at rest takes writes.
    const [writer] = this.#producers;
    if (writer === undefined) return;
    for (let partition = 0; partition < this.profile.settings.partitions; partition++) {
      let isDone = false;
      writer.produce(partition, () => (isDone = true));
      this.#run(until, lastEvent, () => isDone);
      if (!isDone) violated('a cluster at rest takes writes', `partition ${partition} takes none`);
    }
    this.#settle(until, lastEvent);
    lookAtRest(this.world, this.clients);
  }

  #settle(until: number, lastEvent: number): void {
    const isAtRest = (): boolean =>
      !this.#producers.some((producer) => producer.isBusy) && convergenceProblem(this.world) === null;
    this.#run(until, lastEvent, isAtRest);
    const problem = convergenceProblem(this.world);
    if (problem !== null) violated('a cluster that is mended comes to rest', problem);
    if (!isAtRest()) violated('every producer is answered in the end', 'one still waits');
  }

  #run(until: number, lastEvent: number, isEnough: () => boolean): void {
    while (!isEnough()) {
      for (let turn = 0; turn < 20; turn++) {
        if (this.queue.count > lastEvent || !this.queue.runNext(until)) return;
      }
    }
  }
}

export function simulate(options: SimulationOptions): SimulationResult {
  const simulation = new Simulation(options);
  const { queue, witness, clients, profile } = simulation;
  queue.trace.tell(0, 0, () => JSON.stringify({ ...profile, faults: Object.fromEntries(profile.faults) }));
  let failure: SimulationResult['failure'] = null;
  try {
    simulation.begin();
    simulation.disturb();
    const end = queue.count + (options.events ?? DEFAULT_EVENTS);
    while (queue.count < end && queue.runNext());
    simulation.heal();
  } catch (error) {
    const promise = error instanceof Violation ? error.promise : 'no core throws';
    failure = { promise, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  return {
    seed: options.seed,
    events: queue.count,
    traceHash: queue.trace.hash,
    failure,
    elections: witness.partitions.reduce((sum, partition) => sum + partition.elections, 0),
    acknowledged: clients.acknowledged,
    committed: witness.partitions.reduce((sum, partition) => sum + partition.history.size, 0),
  };
}
