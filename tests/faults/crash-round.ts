/** One round: a sale, a kill at a point of it, the victim comes back, the sale goes on to its end, everything is looked at. */
import type { ProcessExit } from '@seatlog/local-stack';
import type { Violation } from '../../load-tests/audit/violation.ts';
import { arriveAt } from './crash-points.ts';
import type { CrashRound } from './crash-rounds.ts';
import { RunningSale } from './running-sale.ts';
import type { SaleStack } from './sale-stack.ts';
import { bringBack, kill, planOf } from './victims.ts';

export interface RoundReport {
  readonly exit: ProcessExit;
  /** Processes other than the victim that are not those of before. */
  readonly fallen: readonly string[];
  readonly violations: readonly Violation[];
  readonly complaints: readonly string[];
  /** Orders answered with 202 by the time of the kill, and in the end. */
  readonly acceptedBefore: number;
  readonly accepted: number;
  /** Of this event, by how they ended. */
  readonly confirmed: number;
  readonly cancelled: number;
  readonly rejected: number;
  readonly refunded: number;
  /** Accepted reservations that the database refused, as the worker counted them. */
  readonly lateRejections: number;
  /** Records that were given to a worker again, and that it knew. */
  readonly knownAgain: number;
}

export async function playRound(stack: SaleStack, round: CrashRound): Promise<RoundReport> {
  const { victim, point, seed } = round;
  const before = pidsOf(stack);
  const countersBefore = await workerCounters(stack);
  const sale = await RunningSale.begin(stack, seed);
  try {
    const release = await arriveAt(point, stack, sale);
    const acceptedBefore = sale.accepted;
    let exit: ProcessExit;
    try {
      exit = await kill(stack, victim);
    } finally {
      release();
    }
    await bringBack(stack, victim);
    await sale.over;
    const { violations } = await stack.auditAtRest(sale.journal);
    const counters = await workerCounters(stack);
    // A worker that was started anew counts from nothing.
    const since = victim === 'reservation-worker' ? { lateRejections: 0, knownAgain: 0 } : countersBefore;
    return {
      exit,
      fallen: fallen(before, pidsOf(stack), planOf(victim).process),
      violations,
      complaints: sale.complaints,
      acceptedBefore,
      accepted: sale.accepted,
      ...(await outcomeOf(stack, sale.eventId)),
      lateRejections: counters.lateRejections - since.lateRejections,
      knownAgain: counters.knownAgain - since.knownAgain,
    };
  } finally {
    // The next round shares the stack with none of its buyers.
    await sale.over;
  }
}

type Pids = ReadonlyMap<string, number>;

function pidsOf(stack: SaleStack): Pids {
  return new Map([...stack.processes].map(([name, process]) => [name, process.running ? process.pid : -1]));
}

function fallen(before: Pids, after: Pids, victim: string): readonly string[] {
  return [...before]
    .filter(([name, pid]) => name !== victim && after.get(name) !== pid)
    .map(([name]) => name);
}

async function workerCounters(stack: SaleStack) {
  const [lateRejections, knownAgain] = await Promise.all([
    stack.metric('reservation-worker', 'seatlog_late_rejections_total'),
    stack.metric('reservation-worker', 'seatlog_reservation_decisions_total', { kind: 'duplicate' }),
  ]);
  return { lateRejections, knownAgain };
}

async function outcomeOf(stack: SaleStack, eventId: string) {
  const [row] = await stack.rows(
    `SELECT count(*) FILTER (WHERE status = 'CONFIRMED') AS confirmed,
            count(*) FILTER (WHERE status = 'CANCELLED') AS cancelled,
            count(*) FILTER (WHERE status = 'REJECTED') AS rejected,
            (SELECT count(*) FROM refunds JOIN seats ON seats.id = seat_id WHERE seats.event_id = $1) AS refunded
     FROM reservations WHERE event_id = $1`,
    [eventId],
  );
  const count = (name: string): number => Number(row?.[name]);
  return {
    confirmed: count('confirmed'),
    cancelled: count('cancelled'),
    rejected: count('rejected'),
    refunded: count('refunded'),
  };
}
