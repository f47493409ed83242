/** A small spike as a user runs it. The apps have to be built (npm run build). */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { speakersIn, tellLastWords } from '../last-words.ts';
import { type Command, runCommand } from './command.ts';
import { processesOf } from './processes-of.ts';

interface Summary {
  readonly ok: boolean;
  readonly counts: {
    readonly offered: number;
    readonly started: number;
    readonly accepted: number;
    readonly refused: Readonly<Record<string, number>>;
    readonly unanswered: Readonly<Record<string, number>>;
    readonly dropped: number;
  };
  readonly latencyMs: Readonly<Record<string, { readonly count: number }>>;
  readonly audit: { readonly violations: readonly unknown[]; readonly figures: { readonly orders: number } };
  readonly file: string;
}

const RATE = 20;
const SECONDS = 3;
const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

describe('a spike', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seatlog-spike-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  let command: Command & { readonly code: number | null };
  let summary: Summary;

  beforeAll(async () => {
    const line = `spike --rate ${RATE} --seconds ${SECONDS} --warm-up 1 --partitions 4 --mix popular=0.5 --seed 7 --no-build`;
    const folders = ['--data', data, '--results', join(folder, 'results')];
    command = await runCommand('load-tests/load.ts', [...line.split(' '), ...folders]);
    expect(command.code, command.output).toBe(0);
    summary = command.told() as Summary;
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => tellLastWords(() => speakersIn(data)));

  it('is sound', () => {
    expect(summary).toMatchObject({ ok: true, audit: { violations: [] } });
    expect(command.output).toContain('✓ sound');
  });

  it('offered what was asked for, and accounts for every arrival', () => {
    const { offered, started, dropped, accepted, refused, unanswered } = summary.counts;
    expect(offered).toBe(RATE * SECONDS);
    expect(started + dropped).toBe(offered);
    expect(accepted + sumOf(refused) + sumOf(unanswered)).toBe(started);
    expect(accepted).toBeGreaterThan(0);
    expect(refused['SEAT_TAKEN']).toBeGreaterThan(0);
  });

  it('followed every accepted order to its row', () => {
    const { latencyMs, counts, audit } = summary;
    expect(latencyMs['accept']?.count).toBe(counts.accepted);
    expect(latencyMs['confirm']?.count).toBe(counts.accepted);
    expect(latencyMs['confirmSeen']?.count).toBeGreaterThan(0);
    // Those of the warm-up, and the opening order.
    expect(audit.figures.orders).toBeGreaterThan(counts.accepted);
  });

  it('showed each second, and kept what a reader needs to judge the figures', () => {
    expect(command.output).toMatch(/^\d+ s {2}offered 60 {2}accepted /m);
    const record = JSON.parse(readFileSync(summary.file, 'utf8')) as Record<string, object>;
    expect(record['settings']).toMatchObject({ rate: RATE, partitions: 4, acks: 'all', seed: 7 });
    expect(Object.keys(record['fingerprint'] ?? {})).toEqual(
      expect.arrayContaining(['commit', 'cpu', 'node', 'durability']),
    );
    expect(Object.keys(record)).toEqual(expect.arrayContaining(['timeline', 'histograms']));
  });

  it('left no process behind', () => {
    expect(processesOf(data)).toEqual([]);
  });
});
