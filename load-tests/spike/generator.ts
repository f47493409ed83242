/**
 * The load itself: buyers arrive by the clock, each asks once for what it wants, and what it was told goes into the
 * journal. The same settings and seed make the same requests. It says what it does about once a second and does nothing
 * else: counting, showing and auditing are other processes' work.
 */
import type { Clock, Timers } from '@seatlog/runtime';
import { Journal, writeJournal } from '../audit/journal.ts';
import { BookingApi, type ReservationRequest } from '../smoke/booking-api.ts';
import { type Bought, outcomeOf, understand } from '../smoke/buyer.ts';
import { arrivalSchedule, type ArrivalSchedule } from './arrival-schedule.ts';
import { buyerName } from './buyer-names.ts';
import type { GeneratorJob, GeneratorMessage, GeneratorResult, Progress } from './generator-messages.ts';
import { hallOf } from './hall.ts';
import { type Arrival, OpenArrivals } from './open-arrivals.ts';
import { arrivalsOf, warmUpRate } from './spike-options.ts';
import { Tally } from './tally.ts';
import { type Wish, wishesFor } from './wishes.ts';

const PROGRESS_INTERVAL_MS = 1000;
/** At most one order in this time is sampled: asking for states must not be a load of its own. */
const SAMPLE_INTERVAL_MS = 200;

export interface GeneratorPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly send: (message: GeneratorMessage) => void;
  /** CPU time that this process has taken, in seconds. */
  readonly cpuSeconds: () => number;
}

/** A part of the run with figures of its own. */
interface Section {
  readonly name: Progress['section'];
  readonly schedule: ArrivalSchedule;
  /** The number of its first arrival, over the whole run: each has a wish of its own. */
  readonly first: number;
}

export class Generator {
  readonly #job: GeneratorJob;
  readonly #ports: GeneratorPorts;
  readonly #api: BookingApi;
  readonly #journal = new Journal();
  readonly #wishes: readonly Wish[];
  #sampledAt = -Infinity;

  constructor(job: GeneratorJob, ports: GeneratorPorts) {
    const { settings, bookingApiUrl, eventId } = job;
    const { connections, keepAlive, seats, mix, seed } = settings;
    this.#job = job;
    this.#ports = ports;
    this.#api = new BookingApi(bookingApiUrl, connections, keepAlive);
    // Drawn beforehand, so that they depend on nothing that happens and cost nothing while the clock runs.
    this.#wishes = wishesFor(arrivalsOf(settings), hallOf(eventId, seats).seatIds, mix, seed);
  }

  async run(): Promise<GeneratorResult> {
    const { send, clock, cpuSeconds } = this.#ports;
    const { rate, seconds, profile, warmUpSeconds } = this.#job.settings;
    const warmUp = arrivalSchedule('constant', warmUpRate(this.#job.settings), warmUpSeconds);
    if (warmUpSeconds > 0) {
      await this.#play({ name: 'warm-up', schedule: warmUp, first: 0 }, new Tally());
    }
    send({ kind: 'measuring' });
    const tally = new Tally();
    const cpuBefore = cpuSeconds();
    const beganAt = clock.now();
    const schedule = arrivalSchedule(profile, rate, seconds);
    const lastStartAt = await this.#play({ name: 'measurement', schedule, first: warmUp.count }, tally);
    const result: GeneratorResult = {
      tally: tally.figures({ underWay: 0, waiting: 0 }),
      beganAt,
      lastStartAt: lastStartAt ?? beganAt,
      endedAt: clock.now(),
      accept: tally.acceptMs.encoded(),
      refuse: tally.refuseMs.encoded(),
      lateness: tally.latenessMs.encoded(),
      startDelay: tally.startDelayMs.encoded(),
      cpuSeconds: cpuSeconds() - cpuBefore,
    };
    await this.#api.close();
    writeJournal(this.#job.journalFile, this.#journal.entries);
    return result;
  }

  /** When the last arrival was started; null if none was. */
  async #play(section: Section, tally: Tally): Promise<number | null> {
    const { clock, timers } = this.#ports;
    let lastStartAt: number | null = null;
    const arrivals = new OpenArrivals({
      clock,
      timers,
      schedule: section.schedule,
      slots: this.#job.settings.connections,
      onDue: (_, latenessMs) => tally.due(latenessMs),
      onDropped: () => tally.dropped(),
      start: (arrival) => {
        lastStartAt = clock.now();
        return this.#buy(arrival, this.#requestOf(section, arrival.index), tally);
      },
    });
    const stopTelling = this.#tellProgress(section.name, arrivals, tally);
    await arrivals.run();
    stopTelling();
    return lastStartAt;
  }

  #tellProgress(section: Progress['section'], arrivals: OpenArrivals, tally: Tally): () => void {
    const { clock, timers, send } = this.#ports;
    const beganAt = clock.monotonic();
    let cancel = (): void => undefined;
    const tell = (): void => {
      const progress: Progress = {
        section,
        elapsedMs: Math.round(clock.monotonic() - beganAt),
        tally: tally.figures({ underWay: arrivals.underWay, waiting: arrivals.waiting }),
        acceptP99Ms: tally.acceptMs.percentile(99),
        latestAcceptP99Ms: tally.latestAcceptMs.percentile(99),
        latenessP99Ms: tally.latenessMs.percentile(99),
      };
      tally.latestAcceptMs.clear();
      send({ kind: 'progress', progress });
      cancel = timers.schedule(PROGRESS_INTERVAL_MS, tell);
    };
    cancel = timers.schedule(PROGRESS_INTERVAL_MS, tell);
    return () => {
      cancel();
      tell();
      cancel();
    };
  }

  async #buy({ scheduledAt }: Arrival, request: ReservationRequest, tally: Tally): Promise<void> {
    const { clock } = this.#ports;
    tally.started(clock.monotonic() - scheduledAt);
    const answer = await this.#api.reserve(request);
    const answeredAt = clock.monotonic();
    const bought = understand(request, answer, answeredAt);
    this.#keep(request, bought);
    switch (bought.kind) {
      case 'accepted':
        tally.accepted(answeredAt - scheduledAt, bought.order.reservationIds.length);
        break;
      case 'refused':
        tally.refused(answeredAt - scheduledAt, bought.code);
        break;
      case 'gave-up':
        tally.unanswered(bought.why);
        break;
    }
  }

  #requestOf(section: Section, index: number): ReservationRequest {
    const { eventId, runId } = this.#job;
    const { seatIds, card } = this.#wishes[section.first + index] ?? { seatIds: [], card: 'good' };
    const name = buyerName(runId, section.name, index);
    return { userId: name, eventId, idempotencyKey: name, seatIds, card };
  }

  #keep(request: ReservationRequest, bought: Bought): void {
    const { clock, send } = this.#ports;
    const { userId, eventId, idempotencyKey, seatIds } = request;
    const at = clock.now();
    const buyer = { at, userId, eventId, idempotencyKey };
    this.#journal.write({ ...buyer, request: 'reserve', seatIds, outcome: outcomeOf(bought) });
    if (bought.kind !== 'accepted' || clock.monotonic() - this.#sampledAt < SAMPLE_INTERVAL_MS) return;
    this.#sampledAt = clock.monotonic();
    const { orderId, statusUrl } = bought.order;
    send({ kind: 'sample', order: { orderId, statusUrl, userId, idempotencyKey, acceptedAt: at } });
  }
}
