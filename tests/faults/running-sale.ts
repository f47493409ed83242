/**
 * A sale that goes on by itself while a test breaks something: the tasks of the smoke sale's plan, smaller, by buyers who
 * ask again with the same key. What has happened so far can be told from what they were answered.
 */
import { type JournalEntry, Journal } from '../../load-tests/audit/journal.ts';
import { BookingApi } from '../../load-tests/smoke/booking-api.ts';
import { Buyer } from '../../load-tests/smoke/buyer.ts';
import { Latencies } from '../../load-tests/smoke/latencies.ts';
import { planSmoke, type SmokeSize } from '../../load-tests/smoke/plan.ts';
import { Scenes } from '../../load-tests/smoke/scenes.ts';
import type { SaleStack } from './sale-stack.ts';

export const saleSize: SmokeSize = {
  buyers: 24,
  seats: 240,
  fights: 12,
  buyersPerFight: 8,
  repeats: 10,
  declines: 8,
  cancellations: 24,
};

/** Losers of all fights together: each buyer but one. */
export const LOSERS = saleSize.fights * (saleSize.buyersPerFight - 1);
const CONNECTIONS = 64;

export class RunningSale {
  readonly eventId: string;
  readonly over: Promise<void>;
  readonly #journal: SaleJournal;
  readonly #scenes: Scenes;
  #isOver = false;

  private constructor(eventId: string, journal: SaleJournal, scenes: Scenes, play: () => Promise<void>) {
    this.eventId = eventId;
    this.#journal = journal;
    this.#scenes = scenes;
    this.over = play().finally(() => {
      this.#isOver = true;
    });
  }

  static async begin(stack: SaleStack, seed: number): Promise<RunningSale> {
    const eventId = await stack.putOnSale();
    const seats = await stack.rows('SELECT id FROM seats WHERE event_id = $1 ORDER BY id', [eventId]);
    const { lanes } = planSmoke(
      seats.map(({ id }) => String(id)),
      saleSize,
      seed,
    );
    const journal = new SaleJournal();
    const api = new BookingApi(stack.endpoints.bookingApiUrl, CONNECTIONS);
    const scenes = new Scenes(new Buyer(api, journal, new Latencies()), eventId, eventId);
    return new RunningSale(eventId, journal, scenes, async () => {
      const played = lanes.map(async (lane) => {
        for (const task of lane) await scenes.play(task);
      });
      await Promise.all(played);
      await api.close();
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get journal(): readonly JournalEntry[] {
    return this.#journal.entries;
  }

  /** What buyers saw that should not be. */
  get complaints(): readonly string[] {
    return this.#scenes.complaints;
  }

  /** Orders that were answered with 202. */
  get accepted(): number {
    return this.#journal.accepted.size;
  }

  /** Answers that a seat is taken. */
  get taken(): number {
    return this.#journal.taken;
  }

  /** Orders whose cancellation was taken on. */
  get cancelled(): number {
    return this.#journal.cancelled.size;
  }

  /** Of these, the ones that no buyer has seen ended yet. */
  get cancelling(): number {
    return this.#journal.cancelled.size - this.#journal.seenCancelled.size;
  }
}

/** Counts as it writes. */
class SaleJournal extends Journal {
  readonly accepted = new Set<string>();
  readonly cancelled = new Set<string>();
  readonly seenCancelled = new Set<string>();
  taken = 0;

  override write(entry: JournalEntry): void {
    super.write(entry);
    if (entry.request === 'cancel' && entry.accepted) this.cancelled.add(entry.orderId);
    if (entry.request === 'status' && entry.status === 'CANCELLED') this.seenCancelled.add(entry.orderId);
    if (entry.request !== 'reserve') return;
    if (entry.outcome.kind === 'accepted') this.accepted.add(entry.outcome.orderId);
    if (entry.outcome.kind === 'refused' && entry.outcome.code === 'SEAT_TAKEN') this.taken += 1;
  }
}
