import { SeededRandom } from '@seatlog/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedCluster } from './testing/simulated-cluster.ts';
import { Witness } from './testing/witness.ts';

const BROKERS = [1, 2, 3] as const;
const RUNS = 300;
const LAG_MS = 2000;
/** Sessions, lag, request time-outs and back-offs, a few times over. */
const REST_MS = 30_000;
const WORST_DELAY_MS = 40;

type Happening =
  | { readonly kind: 'produce'; readonly acks: number; readonly count: number }
  | { readonly kind: 'stop' | 'continue' | 'kill' | 'terminate' | 'start' | 'elect'; readonly broker: number }
  | { readonly kind: 'cut' | 'mend'; readonly from: number; readonly to: number }
  | { readonly kind: 'minimum'; readonly minInsyncReplicas: number }
  | { readonly kind: 'pass'; readonly milliseconds: number }
  /** The leader deletes all records that are committed. */
  | { readonly kind: 'trim' };

/** 0 is whoever leads at that moment. */
const broker = fc.constantFrom(0, 0, ...BROKERS);
/** 100 is the controller. */
const node = fc.constantFrom(...BROKERS, 100);

const minimum = fc.constantFrom(2, 2, 1, 3);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('produce' as const),
      acks: fc.constantFrom(-1, -1, 1),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      milliseconds: fc.integer({ min: 1, max: 120 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      milliseconds: fc.integer({ min: 500, max: 6000 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'stop' as const,
        'continue' as const,
        'kill' as const,
        'start' as const,
        'elect' as const,
      ),
      broker,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('terminate' as const), broker }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('cut' as const, 'mend' as const), from: node, to: node }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'trim' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('minimum' as const),
      minInsyncReplicas: minimum,
    }),
  },
);

/** A cluster in bad weather: every write, message and piece of metadata takes its own time, some messages are lost. */
class Story {
  readonly cluster: SimulatedCluster;
  readonly witness: Witness;
  readonly #cuts = new Set<string>();
  #isCalm = true;
  #word = 0;

  constructor(seed: number, minInsyncReplicas: number) {
    const random = new SeededRandom(seed);
    const within = (milliseconds: number): number => (this.#isCalm ? 1 : random.below(milliseconds));
    this.cluster = new SimulatedCluster({
      minInsyncReplicas,
      replicaLagTimeMaxMs: LAG_MS,
      sessionTimeoutMs: 3000,
      heartbeatIntervalMs: 500,
      checkpointIntervalMs: 700,
      fetchWaitMaxMs: 100,
      fetchBackoffMs: 150,
      requestTimeoutMs: 1500,
      writeMs: () => within(10),
      metadataMs: () => within(random.oneIn(4) ? 1500 : 30),
    });
    this.cluster.network.weather = (from, to) => {
      if (this.#cuts.has(`${from}>${to}`) || (!this.#isCalm && random.oneIn(50))) return null;
      return 1 + within(WORST_DELAY_MS);
    };
    this.witness = new Witness(this.cluster);
    this.witness.watch();
    this.cluster.begin();
    this.#isCalm = false;
  }

  tell(event: Happening): void {
    const { cluster } = this;
    switch (event.kind) {
      case 'produce':
        this.#produce(event.acks, event.count);
        return;
      case 'pass':
        cluster.clock.advance(event.milliseconds);
        return;
      case 'elect':
        cluster.controller.elect(event.broker);
        return;
      case 'minimum':
        this.#lowerMinimum(event.minInsyncReplicas);
        return;
      case 'trim':
        this.#trim();
        return;
      case 'cut':
        this.#cuts.add(`${event.from}>${event.to}`);
        return;
      case 'mend':
        this.#cuts.delete(`${event.from}>${event.to}`);
        return;
      default:
        this.#signal(event.kind, event.broker);
    }
  }

  /** All up, all connected, and time enough. */
  rest(): void {
    this.#cuts.clear();
    this.#isCalm = true;
    for (const { id } of this.cluster.brokers) this.#signal('continue', id);
    // Those that were about to stop have stopped by then.
    this.cluster.clock.advance(LAG_MS);
    for (const { id } of this.cluster.brokers) this.#signal('start', id);
    this.cluster.clock.advance(REST_MS);
    this.#produce(-1, 1);
    this.cluster.clock.advance(LAG_MS);
  }

  /** Not raised: a leader that has not heard of it yet may have acknowledged by the lower one. */
  #lowerMinimum(wanted: number): void {
    const { controller } = this.cluster;
    if (wanted < controller.image.minInsyncReplicas) controller.configure(wanted);
  }

  #trim(): void {
    const { leader } = this.cluster;
    if (leader?.process.state !== 'running' || !leader.isLeading) return;
    leader.log.raiseLogStart(leader.log.highWatermark);
    leader.tellLeader({ type: 'log-start-raised' });
  }

  #produce(acks: number, count: number): void {
    const words = Array.from({ length: count }, () => `word-${this.#word++}`);
    this.witness.expect(this.cluster.produce(acks, words, 3000));
  }

  #signal(kind: 'stop' | 'continue' | 'kill' | 'terminate' | 'start', id: number): void {
    const target = id === 0 ? this.cluster.leader : this.cluster.brokerOf(id);
    if (target === undefined) return;
    switch (kind) {
      case 'stop':
        target.process.stop();
        return;
      case 'continue':
        target.process.continue();
        return;
      case 'kill':
        if (target.process.state !== 'dead') target.kill();
        return;
      case 'terminate':
        if (target.process.state === 'running') target.terminate();
        return;
      case 'start':
        if (target.process.state === 'dead') target.start();
    }
  }
}

describe('any interleaving of appends, fetches, losses, delays, stops, kills and elections', () => {
  it('R4, R7, R8, R12, R14, R18, R20 to R24: loses nothing that was acknowledged, shows nothing that is not committed', () => {
    let elections = 0;
    let acknowledged = 0;
    fc.assert(
      fc.property(
        fc.nat(),
        minimum,
        fc.array(happening, { minLength: 10, maxLength: 80 }),
        (seed, least, events) => {
          const story = new Story(seed, least);
          for (const event of events) story.tell(event);
          story.rest();
          story.witness.lookAtPromises();
          const { cluster, witness } = story;
          // Below a log start nothing is compared: that of a leader may die with it before others hear of it.
          const start = Math.max(...cluster.brokers.map(({ log }) => log.logStartOffset));
          const [first, ...others] = cluster.brokers.map(({ log }) => [
            log.words(start),
            log.epochsFrom(start),
          ]);
          for (const other of others) expect(other).toEqual(first);
          expect(cluster.controller.image.partition.isr.length).toBe(BROKERS.length);
          expect(cluster.brokers.map(({ log }) => log.highWatermark)).toEqual(
            BROKERS.map(() => cluster.leader?.log.logEndOffset),
          );
          elections += witness.elections;
          acknowledged += witness.acknowledged.length;
        },
      ),
      { numRuns: RUNS },
    );
    // What was not exercised was not tested.
    expect(elections).toBeGreaterThan(RUNS);
    expect(acknowledged).toBeGreaterThan(RUNS);
  });
});
