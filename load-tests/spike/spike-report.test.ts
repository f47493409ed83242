import { describe, expect, it } from 'vitest';
import { factsOf, type Sale } from '../testing/sale.ts';
import { buyerName } from './buyer-names.ts';
import type { GeneratorResult, TallyFigures } from './generator-messages.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { defaultMix } from './mix.ts';
import { recordOf, type SpikeFacts } from './spike-record.ts';
import { spikeReport } from './spike-report.ts';

const sale: Sale = {
  seatCount: 4,
  actions: [1, 2, 2].map((seat, buyer) => ({
    kind: 'buy',
    buyer,
    seats: [seat],
    barge: false,
    repeated: false,
  })),
  turns: [0],
};
const facts = factsOf(sale);
const encoded = (...milliseconds: readonly number[]): string => LatencyHistogram.of(milliseconds).encoded();
const tally: TallyFigures = {
  offered: 4,
  started: 3,
  accepted: 2,
  seats: 2,
  refused: { SEAT_TAKEN: 1 },
  unanswered: {},
  dropped: 1,
  underWay: 0,
  waiting: 0,
};
const generator: GeneratorResult = {
  tally,
  beganAt: 1_000,
  lastStartAt: 2_900,
  endedAt: 3_000,
  accept: encoded(5, 9),
  refuse: encoded(2),
  lateness: encoded(0, 0, 1, 1),
  startDelay: encoded(0, 1, 1),
  cpuSeconds: 0.3,
};
const run: SpikeFacts = {
  runId: 'spike-x',
  startedAt: new Date(0),
  settings: {
    rate: 2,
    seconds: 2,
    profile: 'constant',
    partitions: 3,
    acks: 'all',
    brokers: 1,
    workers: 1,
    seats: 4,
    mix: defaultMix,
    connections: 8,
    keepAlive: true,
    warmUpSeconds: 0,
    seed: 7,
    fsync: false,
    kills: [],
  },
  fingerprint: {
    commit: 'abc',
    changed: false,
    node: 'v24',
    system: 'linux',
    cpu: 'fast one',
    cores: 2,
    memoryGiB: 8,
    generator: 'here',
    durability: { broker: 'page cache', postgres: 'fsync', redis: 'file' },
  },
  generator,
  machine: {
    cpuBefore: new Map([['booking-api', 1]]),
    cpuAfter: new Map([['booking-api', 1.6]]),
    cores: 2,
    loadAverage: 0.5,
  },
  backlogAtEnd: 0,
  live: { timeline: [], worstBacklog: () => 3, worstEventLoopP99Ms: () => ({ 'booking-api': 12 }) },
  sampler: { confirmMs: LatencyHistogram.of([30]), skipped: 0 },
  settled: new Map(facts.database.orders.map(({ orderId }) => [orderId, 3_300] as const)),
  journal: (facts.journal ?? []).map((entry, index) => ({
    ...entry,
    idempotencyKey: buyerName('spike-x', 'measurement', index),
  })),
  atRest: true,
  facts,
};

describe('the record of a spike', () => {
  it('is sound when the audit is and something was accepted', () => {
    const record = recordOf(run);
    expect(record.ok).toBe(true);
    expect(record).toMatchObject({ offeredPerSecond: 2, achievedPerSecond: 1.5, acceptedPerSecond: 1 });
    expect(record.saturation).toMatchObject({ drainMs: 400, worstBacklog: 3 });
    expect(record.saturation.cpuMsPerRequest?.['booking-api']).toBeCloseTo(200);
    expect(record.saturation.cpuMsPerRequest?.['generator']).toBeCloseTo(100);
    expect(record.latencyMs.confirm.count).toBe(2);
    expect(LatencyHistogram.decoded(record.histograms.accept).figures()).toEqual(record.latencyMs.accept);
  });

  it('is not sound when nothing was accepted: an audit of nothing asserts nothing', () => {
    const nothing = { ...generator, tally: { ...tally, accepted: 0 } };
    expect(recordOf({ ...run, generator: nothing })).toMatchObject({ ok: false, audit: { ok: true } });
  });

  it('is not sound when an accepted order has no row', () => {
    const lost = { ...facts, database: { ...facts.database, reservations: [], orders: [] } };
    const record = recordOf({ ...run, facts: lost });
    expect(record.ok).toBe(false);
    expect(record.audit.byRule['accepted-lost']).toBe(2);
    expect(spikeReport(record)).toContain('✗ accepted-lost × 2');
  });

  it('tells of other systems than Linux without CPU times', () => {
    const machine = { ...run.machine, cpuBefore: null, cpuAfter: null };
    const record = recordOf({ ...run, machine });
    expect(record.saturation.cpuSeconds).toBeNull();
    expect(spikeReport(record)).toContain('booking-api');
  });
});

describe('the report', () => {
  const lines = spikeReport(recordOf(run)).split('\n');
  const line = (text: string): string => lines.find((one) => one.includes(text)) ?? '';

  it('begins with the verdict, and shouts about drops', () => {
    expect(lines[0]).toBe('✓ sound: 2 orders, 2 seats sold, none twice, no accepted order lost');
    expect(lines[1]).toContain('DROPPED 1 of 4 arrivals');
  });

  it('has each code with its count and share', () => {
    expect(line('202, 2 seats')).toMatch(/ 2 +50\.0 %$/);
    expect(line('SEAT_TAKEN')).toMatch(/ 1 +25\.0 %$/);
  });

  it('has percentiles, and what it was measured on', () => {
    expect(line('accept (202)')).toMatch(/ 2 +5\.0 +9\.0 +9\.0 +9\.0 +9\.0$/);
    expect(line('commit abc')).toContain('2 × fast one');
    expect(line('partitions 3')).toContain('seed 7');
  });
});
