/**
 * What the smoke sale does, before it does it: which buyers try for which seats, and with what twist. Pure: a seed and a
 * list of free seats give a plan.
 */
import { SEATS_PER_ORDER } from '@seatlog/booking';
import { SeededChoices } from './random.ts';

export type Task =
  /** An order that nothing stands in the way of. */
  | { readonly kind: 'buy'; readonly buyer: number; readonly seatIds: readonly string[] }
  /** All want one seat at one time. */
  | { readonly kind: 'fight'; readonly buyers: readonly number[]; readonly seatIds: readonly string[] }
  /** One request, sent several times at once, later again, and once with another seat under the same key. */
  | {
      readonly kind: 'repeat';
      readonly buyer: number;
      readonly seatIds: readonly string[];
      readonly otherSeatIds: readonly string[];
      readonly times: number;
    }
  /** Paid with a card that is declined, then with a good one. */
  | { readonly kind: 'decline'; readonly buyer: number; readonly seatIds: readonly string[] }
  /** Bought, given back, and bought by someone else if there is a next buyer. */
  | {
      readonly kind: 'cancel';
      readonly buyer: number;
      readonly seatIds: readonly string[];
      readonly nextBuyer: number | null;
    };

export interface SmokeSize {
  readonly buyers: number;
  /** Seats in all; what the twists do not take is simply bought. */
  readonly seats: number;
  readonly fights: number;
  readonly buyersPerFight: number;
  readonly repeats: number;
  readonly declines: number;
  readonly cancellations: number;
}

/** At least 500 seats sold in the end, by at least 50 buyers at one time. */
export const smokeSize: SmokeSize = {
  buyers: 64,
  seats: 720,
  fights: 30,
  buyersPerFight: 12,
  repeats: 30,
  declines: 30,
  cancellations: 40,
};

const REPEATED_TIMES = 4;

export interface SmokePlan {
  /** One lane per buyer: its tasks run one after another, and the lanes at the same time. */
  readonly lanes: readonly (readonly Task[])[];
}

export function planSmoke(freeSeatIds: readonly string[], size: SmokeSize, seed: number): SmokePlan {
  if (freeSeatIds.length < size.seats) {
    throw new RangeError(`the plan needs ${size.seats} free seats, there are ${freeSeatIds.length}`);
  }
  const choices = new SeededChoices(seed);
  const seats = choices.shuffled(freeSeatIds).slice(0, size.seats);
  const take = (count: number): readonly string[] => seats.splice(0, count).toSorted();
  const anyBuyer = (): number => choices.between(0, size.buyers - 1);
  const tasks: Task[] = [];

  for (let index = 0; index < size.fights; index += 1) {
    const buyers = choices.shuffled(Array.from({ length: size.buyers }, (_, buyer) => buyer));
    tasks.push({ kind: 'fight', buyers: buyers.slice(0, size.buyersPerFight), seatIds: take(1) });
  }
  for (let index = 0; index < size.repeats; index += 1) {
    const [seatIds, otherSeatIds] = [take(2), take(1)];
    tasks.push({ kind: 'repeat', buyer: anyBuyer(), seatIds, otherSeatIds, times: REPEATED_TIMES });
  }
  for (let index = 0; index < size.declines; index += 1) {
    tasks.push({ kind: 'decline', buyer: anyBuyer(), seatIds: take(choices.between(1, 2)) });
  }
  for (let index = 0; index < size.cancellations; index += 1) {
    const nextBuyer = index % 2 === 0 ? anyBuyer() : null;
    tasks.push({ kind: 'cancel', buyer: anyBuyer(), seatIds: take(choices.between(1, 3)), nextBuyer });
  }
  for (let buyer = 0; seats.length > 0; buyer = (buyer + 1) % size.buyers) {
    tasks.push({ kind: 'buy', buyer, seatIds: take(choices.between(1, SEATS_PER_ORDER)) });
  }
  return { lanes: dealt(choices.shuffled(tasks), size.buyers) };
}

function dealt(tasks: readonly Task[], count: number): readonly (readonly Task[])[] {
  return Array.from({ length: count }, (_, lane) => tasks.filter((_task, index) => index % count === lane));
}
