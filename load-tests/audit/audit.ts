/**
 * Whether a sale was sound: pure, over collected facts. It expects a system at rest; on one that works it reports what
 * is under way.
 */
import { isLive } from '@seatlog/booking';
import { checkAcceptance } from './checks/acceptance.ts';
import { checkLeftovers } from './checks/leftovers.ts';
import { checkLogOrder } from './checks/log-order.ts';
import { checkOrders } from './checks/orders.ts';
import { checkRedis } from './checks/redis.ts';
import { checkRefunds } from './checks/refunds.ts';
import { checkSeats } from './checks/seats.ts';
import type { AuditFacts } from './facts.ts';
import type { Rule, Violation } from './violation.ts';

export interface AuditFigures {
  /** Seats, by the state of their reservation. */
  readonly confirmed: number;
  readonly rejected: number;
  readonly cancelled: number;
  readonly refunded: number;
  readonly seats: number;
  readonly orders: number;
  /** Records in the log. */
  readonly events: number;
}

export interface AuditReport {
  readonly ok: boolean;
  readonly figures: AuditFigures;
  readonly violations: readonly Violation[];
}

const checks = [
  checkSeats,
  checkAcceptance,
  checkOrders,
  checkLogOrder,
  checkRefunds,
  checkLeftovers,
  checkRedis,
] as const;

export function audit(facts: AuditFacts): AuditReport {
  const violations = checks.flatMap((check) => check(facts));
  return { ok: violations.length === 0, figures: figuresOf(facts), violations };
}

export function countOf(report: AuditReport, ...rules: readonly Rule[]): number {
  return report.violations.filter((found) => rules.includes(found.rule)).length;
}

function figuresOf({ database, log }: AuditFacts): AuditFigures {
  const count = (status: string): number =>
    database.reservations.filter((row) => row.status === status).length;
  return {
    confirmed: database.reservations.filter(isLive).length,
    rejected: count('REJECTED'),
    cancelled: count('CANCELLED'),
    refunded: database.refunds.length,
    seats: database.seatIds.length,
    orders: database.orders.length,
    events: log.reservationEvents.length,
  };
}
