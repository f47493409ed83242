/**
 * The smoke sale: a crowd buys through the HTTP API, the system comes to rest, the audit looks at everything. `ok` means
 * that every buyer saw what it should have seen, that the audit found nothing, and that enough was sold for this to say
 * something.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { StackEndpoints } from '@seatlog/local-stack';
import { audit, countOf, type AuditReport } from '../audit/audit.ts';
import { Journal } from '../audit/journal.ts';
import type { Violation } from '../audit/violation.ts';
import { collectDatabase } from '../collect/database-facts.ts';
import { collectFacts } from '../collect/collect-facts.ts';
import { untilAtRest } from '../collect/rest.ts';
import { BookingApi } from './booking-api.ts';
import { Buyer } from './buyer.ts';
import { Latencies, type LatencyFigures } from './latencies.ts';
import type { LeaderKill } from './leader-kill.ts';
import { planSmoke, smokeSize } from './plan.ts';
import { Scenes } from './scenes.ts';

export const LEAST_SEATS_SOLD = 500;
export const LEAST_BUYERS = 50;
/** Requests under way at one time at most: a fight or a repeat has several. */
const CONNECTIONS = 128;
const MOST_LISTED = 20;
/** Share of the tasks that are done when a disturbance comes. */
const DISTURBED_AT = 1 / 3;

export interface SmokeOptions {
  readonly endpoints: StackEndpoints;
  readonly eventId: string;
  /** The journal goes here. */
  readonly directory: string;
  readonly seed?: number;
  /** Happens once, in the middle of the sale. */
  readonly disturbance?: () => Promise<LeaderKill>;
  readonly say: (line: string) => void;
}

export interface SmokeSummary {
  readonly ok: boolean;
  /** Seats of orders that were answered with 202. */
  readonly accepted: number;
  /** Seats by how their reservation ended. */
  readonly confirmed: number;
  readonly rejected: number;
  readonly cancelled: number;
  readonly refunded: number;
  readonly doubleSold: number;
  /** Orders that were accepted and have no outcome. */
  readonly lost: number;
  readonly buyers: number;
  readonly orders: number;
  readonly taken: number;
  readonly repeated: number;
  readonly declined: number;
  readonly resold: number;
  readonly acceptMs: LatencyFigures;
  readonly confirmMs: LatencyFigures;
  readonly seconds: number;
  readonly seed: number;
  /** The broker that was killed in the middle of the sale, where there are others to take over. */
  readonly killed: LeaderKill | null;
  readonly complaints: readonly string[];
  readonly violations: readonly Violation[];
}

export async function runSmoke(options: SmokeOptions): Promise<SmokeSummary> {
  const { endpoints, eventId, say } = options;
  const seed = options.seed ?? randomInt(2 ** 31);
  const { lanes } = planSmoke(await freeSeats(endpoints.databaseUrl, eventId), smokeSize, seed);
  const journal = new Journal(join(options.directory, 'smoke-journal.jsonl'));
  const api = new BookingApi(endpoints.bookingApiUrl, CONNECTIONS);
  const latencies = new Latencies();
  const scenes = new Scenes(new Buyer(api, journal, latencies), eventId, `smoke-${Date.now().toString(36)}`);
  say(`selling: ${lanes.length} buyers, ${smokeSize.seats} seats, seed ${seed}`);
  const begin = performance.now();
  const middle = new MiddleOfSale(lanes.flat().length, options.disturbance);
  await Promise.all(
    lanes.map(async (lane) => {
      for (const task of lane) {
        await scenes.play(task);
        middle.taskDone();
      }
    }),
  );
  const seconds = Math.round(performance.now() - begin) / 1000;
  const killed = await middle.disturbed();
  await Promise.all([api.close(), journal.close()]);
  say(`sold in ${seconds} s; waiting until all is worked off`);
  const atRest = await untilAtRest(endpoints);
  say(atRest ? 'at rest; auditing' : 'not at rest in time; auditing what there is');
  const report = audit(await collectFacts(endpoints, journal.entries));
  return summarize({ report, journal, scenes, latencies, seconds, seed, killed, buyers: lanes.length });
}

/** Notices when a third of the sale is done, and lets happen then what is to happen in the middle of it. */
class MiddleOfSale {
  readonly #at: number;
  readonly #disturbance: (() => Promise<LeaderKill>) | undefined;
  #done = 0;
  #under: Promise<LeaderKill | Error> | null = null;

  constructor(tasks: number, disturbance: (() => Promise<LeaderKill>) | undefined) {
    this.#at = Math.floor(tasks * DISTURBED_AT);
    this.#disturbance = disturbance;
  }

  taskDone(): void {
    this.#done += 1;
    if (this.#done !== this.#at || this.#disturbance === undefined) return;
    this.#under = this.#disturbance().catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
  }

  async disturbed(): Promise<LeaderKill | null> {
    const result = await this.#under;
    if (result instanceof Error) throw result;
    return result;
  }
}

async function freeSeats(databaseUrl: string, eventId: string): Promise<readonly string[]> {
  const { seatIds, reservations } = await collectDatabase(databaseUrl);
  const sold = new Set(reservations.filter((row) => row.status === 'CONFIRMED').map((row) => row.seatId));
  return seatIds.filter((seatId) => seatId.startsWith(`${eventId}:`) && !sold.has(seatId)).toSorted();
}

interface Outcome {
  readonly report: AuditReport;
  readonly journal: Journal;
  readonly scenes: Scenes;
  readonly latencies: Latencies;
  readonly seconds: number;
  readonly seed: number;
  readonly killed: LeaderKill | null;
  readonly buyers: number;
}

function summarize(outcome: Outcome): SmokeSummary {
  const { report, journal, scenes, latencies, seconds, seed, killed, buyers } = outcome;
  const { confirmed, rejected, cancelled, refunded } = report.figures;
  const { counts, complaints } = scenes;
  const accepted = new Set(
    journal.entries.flatMap((entry) =>
      entry.request === 'reserve' && entry.outcome.kind === 'accepted' ? entry.outcome.reservationIds : [],
    ),
  );
  const enough = confirmed >= LEAST_SEATS_SOLD && buyers >= LEAST_BUYERS;
  const everyTwist = counts.taken > 0 && counts.repeated > 0 && counts.declined > 0 && counts.cancelled > 0;
  const tooLittle =
    enough && everyTwist
      ? []
      : [`too little was sold to say anything: ${confirmed} seats to ${buyers} buyers`];
  const allComplaints = [...complaints, ...tooLittle];
  return {
    ok: report.ok && allComplaints.length === 0,
    accepted: accepted.size,
    confirmed,
    rejected,
    cancelled,
    refunded,
    doubleSold: countOf(report, 'double-sold'),
    lost: countOf(report, 'accepted-lost', 'accepted-not-in-log'),
    buyers,
    orders: counts.accepted,
    taken: counts.taken,
    repeated: counts.repeated,
    declined: counts.declined,
    resold: counts.resold,
    ...latencies.figures(),
    seconds,
    seed,
    killed,
    complaints: allComplaints.slice(0, MOST_LISTED),
    violations: report.violations.slice(0, MOST_LISTED),
  };
}
