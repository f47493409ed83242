/** The smoke sale as CI and users run it. The apps have to be built (npm run build). */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { speakersIn, tellLastWords } from '../last-words.ts';
import { type Command, runCommand } from './command.ts';
import { processesOf } from './processes-of.ts';

interface Summary {
  readonly ok: boolean;
  readonly accepted: number;
  readonly confirmed: number;
  readonly rejected: number;
  readonly cancelled: number;
  readonly refunded: number;
  readonly buyers: number;
  readonly doubleSold: number;
  readonly lost: number;
  readonly complaints: readonly string[];
  readonly violations: readonly unknown[];
  readonly killed: {
    readonly process: string;
    readonly partition: number;
    readonly nextLeader: number;
  } | null;
}

describe('the smoke sale', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seatlog-smoke-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  let command: Command & { readonly code: number | null };
  let summary: Summary;

  beforeAll(async () => {
    command = await runCommand('load-tests/demo.ts', ['--smoke', '--no-build', '--data', data]);
    summary = command.told() as Summary;
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => tellLastWords(() => speakersIn(data)));

  it('is sound', () => {
    expect(summary.complaints, command.output).toEqual([]);
    expect(summary.violations, command.output).toEqual([]);
    expect(summary).toMatchObject({ ok: true, doubleSold: 0, lost: 0 });
    expect(command.code).toBe(0);
  });

  it('sold at least 500 seats to at least 50 buyers, and each that was accepted has an end', () => {
    expect(summary.confirmed).toBeGreaterThanOrEqual(500);
    expect(summary.buyers).toBeGreaterThanOrEqual(50);
    expect(summary.confirmed + summary.rejected + summary.cancelled).toBe(summary.accepted);
    expect(summary.refunded).toBe(summary.rejected + summary.cancelled);
  });

  it('F20: lost its leader of a partition in the middle of it', () => {
    expect(summary.killed?.process).toMatch(/^broker-[123]$/);
    expect(`broker-${summary.killed?.nextLeader}`).not.toBe(summary.killed?.process);
    expect(command.output).toContain('all replicas are in sync again');
  });

  it('kept every answer', () => {
    const lines = readFileSync(join(data, 'smoke-journal.jsonl'), 'utf8').trimEnd().split('\n');
    const accepted = lines.filter((line) => line.includes('"kind":"accepted"'));
    expect(accepted.length).toBeGreaterThan(200);
  });

  it('left no process behind', () => {
    expect(processesOf(data)).toEqual([]);
  });
});
