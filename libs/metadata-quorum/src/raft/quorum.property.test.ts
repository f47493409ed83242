import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedQuorum } from './testing/simulated-quorum.ts';

const QUORUMS = [[1], [1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3, 4, 5]] as const;
const OBSERVERS = [11, 12] as const;
const RUNS = 600;
/** Fetch time-out, elections and back-offs, many times over. */
const REST_MS = 60_000;

type Happening =
  | { readonly kind: 'append'; readonly records: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'kill' | 'start'; readonly node: number }
  /** In the middle of a step to come. */
  | { readonly kind: 'kill-within'; readonly node: number; readonly effects: number }
  | { readonly kind: 'cut'; readonly from: number; readonly to: number }
  | { readonly kind: 'part'; readonly node: number }
  | { readonly kind: 'mend' }
  | { readonly kind: 'snapshot'; readonly node: number; readonly cut: boolean }
  | { readonly kind: 'resign'; readonly node: number };

/** 0 is whoever leads at that moment; a voter that this quorum has not is its first. */
const node = fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5, ...OBSERVERS);
const milliseconds = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 200 }) },
  { weight: 3, arbitrary: fc.integer({ min: 200, max: 4000 }) },
);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('append'), records: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('pass'), ms: milliseconds }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('kill', 'start', 'start', 'start'), node }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('kill-within'), node, effects: fc.integer({ min: 0, max: 6 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut'), from: node, to: node }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('part'), node }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('mend') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('snapshot'), node, cut: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resign'), node }) },
) as fc.Arbitrary<Happening>;

const story = fc.record({
  voters: fc.constantFrom(...QUORUMS),
  seed: fc.integer({ min: 0, max: 0x7fffffff }),
  lostPercent: fc.constantFrom(0, 2, 15),
  doubledPercent: fc.constantFrom(0, 5, 20),
  maxDelayMs: fc.constantFrom(3, 20, 200),
  happenings: fc.array(happening, { maxLength: 80, size: 'max' }),
});

function happen(quorum: SimulatedQuorum, event: Happening): void {
  const first = quorum.node(1);
  const who = (id: number) =>
    id === 0 ? (quorum.leader ?? first) : (quorum.nodes.find((each) => each.id === id) ?? first);
  switch (event.kind) {
    case 'append':
      return quorum.append(event.records);
    case 'pass':
      return quorum.pass(event.ms);
    case 'kill':
      return who(event.node).kill();
    case 'start':
      return quorum.nodes.find(({ isUp }) => !isUp)?.start();
    case 'kill-within':
      return who(event.node).killAfterEffects(event.effects);
    case 'cut':
      return quorum.network.cut(who(event.from).id, who(event.to).id);
    case 'part': {
      const { id } = who(event.node);
      for (const other of quorum.nodes) {
        quorum.network.cut(id, other.id);
        quorum.network.cut(other.id, id);
      }
      return;
    }
    case 'mend':
      return quorum.network.mend();
    case 'snapshot':
      return who(event.node).takeSnapshot(event.cut);
    case 'resign':
      return who(event.node).give({ type: 'resign' });
  }
}

/** Everything is well again: one leads, and what it writes is committed everywhere. */
function expectRecovery(quorum: SimulatedQuorum): void {
  quorum.network.mend();
  quorum.network.faults = { lostPercent: 0, doubledPercent: 0, maxDelayMs: 5 };
  quorum.startAll();
  for (const each of quorum.nodes) each.killAfterEffects(Infinity);
  const isWhole = () => {
    const { leader } = quorum;
    const end = leader?.log.logEndOffset;
    return leader !== null && quorum.nodes.every(({ replica }) => replica?.highWatermark === end);
  };
  const isLastThere = () => quorum.witness.committedContents().some((content) => content.endsWith('last'));
  const recovers = () => {
    // A leader that is about to go may take it and not commit it.
    if (!isLastThere() && isWhole()) quorum.leader?.append('last', 1);
    return isLastThere() && isWhole();
  };
  expect(quorum.until(recovers, REST_MS)).toBe(true);
}

describe('a quorum of one, three or five voters with two observers', () => {
  it('keeps what is committed under loss, doubling, delay, cuts and crashes, and recovers when they end', () => {
    let epochs = 0;
    let committed = 0;
    fc.assert(
      fc.property(story, ({ seed, voters, happenings, ...faults }) => {
        const quorum = new SimulatedQuorum({ seed, voters, observers: OBSERVERS, faults });
        quorum.startAll();
        quorum.until(() => quorum.leader !== null, REST_MS);
        for (const event of happenings) happen(quorum, event);
        expectRecovery(quorum);
        epochs += quorum.witness.epochsLed;
        committed += quorum.witness.committedEnd;
      }),
      { numRuns: RUNS },
    );
    // Stories in which nothing happens would prove nothing.
    expect(epochs).toBeGreaterThan(RUNS * 2);
    expect(committed).toBeGreaterThan(RUNS * 5);
  });
});
