/**
 * Processes killed at named points of a running sale. A failed round is played again with the line that it printed:
 *
 *     CRASH_SEED=3 CRASH_VICTIM=broker CRASH_POINT='while draining' npx vitest run tests/faults/crash-points.test.ts
 *
 * and `CRASH_ROUNDS=100` plays so many.
 */
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tellLastWords } from '../last-words.ts';
import { playRound } from './crash-round.ts';
import { replayOf, roundsFor } from './crash-rounds.ts';
import { saleSize } from './running-sale.ts';
import { SaleStack } from './sale-stack.ts';
import { planOf } from './victims.ts';

const { CRASH_ROUNDS, CRASH_SEED, CRASH_VICTIM, CRASH_POINT } = process.env;
const rounds = roundsFor({ CRASH_ROUNDS, CRASH_SEED, CRASH_VICTIM, CRASH_POINT }, () =>
  randomInt(1, 2 ** 31),
);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const ROUND = { timeout: 480_000 };

/**
 * What a buyer may see where locks are lost: a seat was promised twice, and whoever came second is refused late; a key was
 * forgotten, and is taken for another attempt.
 */
const LATE =
  / got it, \d+ found it taken$| is REJECTED, not CONFIRMED$|were given different reservations$|for other seats was answered .*"accepted"/;

describe('a running sale', () => {
  let stack: SaleStack;

  beforeAll(async () => {
    stack = await SaleStack.start();
  });
  afterAll(() => stack?.[Symbol.asyncDispose]());
  beforeEach(() => tellLastWords(() => stack.processes.values()));

  for (const [index, round] of rounds.entries()) {
    const { victim, point } = round;
    const { called, rule, signal, locksMayBeLost } = planOf(victim);
    it(`${rule}: goes on when ${called} is killed ${point} (round ${index + 1})`, ROUND, async () => {
      say(`round ${index + 1} of ${rounds.length}: ${replayOf(round)}`);
      const began = performance.now();
      const report = await playRound(stack, round);
      const { violations, complaints, exit, ...figures } = report;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      say(`  ${seconds} s ${JSON.stringify(figures)}`);
      for (const complaint of complaints) say(`  ${complaint}`);

      if (signal === 'SIGKILL') expect(exit.signal).toBe('SIGKILL');
      expect(report.fallen).toEqual([]);
      expect(violations).toEqual([]);
      expect(report.refunded).toBe(report.cancelled + report.rejected);
      expect(report.cancelled).toBeGreaterThanOrEqual(saleSize.cancellations);
      expect(report.accepted).toBeGreaterThan(saleSize.buyers);
      if (point !== 'while draining') expect(report.accepted).toBeGreaterThan(report.acceptedBefore);
      expect(report.lateRejections).toBe(report.rejected);
      expect(complaints.filter((one) => !(locksMayBeLost && LATE.test(one)))).toEqual([]);
      if (!locksMayBeLost) expect(report.rejected).toBe(0);
    });
  }
});
