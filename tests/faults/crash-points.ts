/**
 * Moments of a running sale, told from outside: by the answers of buyers, by rows, by the offsets of a group. Where a
 * moment passes too quickly to be met, processes that it depends on are held still (SIGSTOP) until it has come; they go on
 * when the victim is dead.
 */
import type { ProcessName, SaleStack } from './sale-stack.ts';
import { LOSERS, type RunningSale, saleSize } from './running-sale.ts';
import { until } from './until.ts';

interface Arrival {
  readonly stack: SaleStack;
  readonly sale: RunningSale;
  /** Stops a process for now. */
  readonly hold: (name: ProcessName) => void;
  readonly letGo: (name: ProcessName) => void;
}

const BACKLOG_RECORDS = 15;
const LOOKS_AT_ROWS = 10;
const WAITING = 'SELECT count(*) FROM outbox';
const UNCLAIMED = 'SELECT count(*) FROM outbox WHERE claimed_by IS NULL';
const CLAIMED = 'SELECT count(*) FROM outbox WHERE claimed_until > now()';

const arrivals = {
  'after the first 202': (at) => during(at, () => at.sale.accepted > 0),
  'in the middle of the fights': (at) => during(at, () => at.sale.taken >= LOSERS / 2),
  'while cancellations are under way': (at) =>
    during(at, () => at.sale.cancelled >= saleSize.cancellations / 3 && at.sale.cancelling > 0),
  'while the worker is behind': async (at) => {
    await during(at, () => at.sale.accepted >= saleSize.buyers / 4);
    at.hold('reservation-worker');
    await during(at, async () => (await at.stack.lagOf('db-writer')) >= BACKLOG_RECORDS);
  },
  'between rows and their offset': async (at) => {
    await during(at, () => at.sale.accepted >= saleSize.buyers / 4);
    await during(at, async () => {
      // Between the two the worker speaks to Redis, and waits a while for the answer.
      at.hold('redis');
      for (let look = 0; look < LOOKS_AT_ROWS; look += 1) {
        if ((await at.stack.rowsPastOffset()) > 0) return true;
      }
      at.letGo('redis');
      return false;
    });
  },
  'right after an outbox claim': async (at) => {
    await during(at, () => at.sale.cancelled > 0);
    at.hold('outbox-relay');
    // A message that was claimed before may be acknowledged already: its row only waits to be deleted.
    await during(at, async () => (await at.stack.number(UNCLAIMED)) > 0);
    // What is claimed now cannot be acknowledged.
    at.hold('broker-1');
    at.letGo('outbox-relay');
    await during(at, async () => (await at.stack.number(CLAIMED)) > 0);
  },
  'while draining': async (at) => {
    await during(at, () => at.sale.cancelled > 0);
    at.hold('outbox-relay');
    await until('the end of the sale', () => at.sale.isOver);
    if ((await at.stack.number(WAITING)) === 0) throw new Error('nothing is left to drain');
  },
} as const satisfies Record<string, (at: Arrival) => Promise<void>>;

export type CrashPoint = keyof typeof arrivals;
export const crashPoints = Object.keys(arrivals) as readonly CrashPoint[];

/** Resolves when the sale is there, with what lets everything go on that was held. */
export async function arriveAt(point: CrashPoint, stack: SaleStack, sale: RunningSale): Promise<() => void> {
  const held = new Set<ProcessName>();
  const letGo = (name: ProcessName): void => {
    held.delete(name);
    stack.process(name).kill('SIGCONT');
  };
  const hold = (name: ProcessName): void => {
    held.add(name);
    stack.process(name).kill('SIGSTOP');
  };
  const release = (): void => [...held].forEach(letGo);
  try {
    await arrivals[point]({ stack, sale, hold, letGo });
  } catch (error) {
    release();
    throw new Error(`the point "${point}" was not reached`, { cause: error });
  }
  return release;
}

function during({ sale }: Arrival, condition: () => boolean | Promise<boolean>): Promise<void> {
  return until('the point', condition, { hopeless: () => (sale.isOver ? 'the sale is over' : null) });
}
