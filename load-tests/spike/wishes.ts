/**
 * What each buyer wants. Pure: a seed gives the same wishes, by the number of the arrival and not by how the run goes. While
 * there are seats that nobody wished for, a buyer gets those; afterwards the house is sold out and buyers try their luck.
 */
import type { Card } from '../smoke/booking-api.ts';
import { SeededChoices } from '../smoke/random.ts';
import type { Mix } from './mix.ts';

export interface Wish {
  readonly seatIds: readonly string[];
  readonly card: Card;
}

/** Few enough that those who want one fight for it. */
export const POPULAR_SEATS = 20;

export function wishesFor(
  count: number,
  seatIds: readonly string[],
  mix: Mix,
  seed: number,
): readonly Wish[] {
  const choices = new SeededChoices(seed);
  const shuffled = choices.shuffled(seatIds);
  const popular = mix.popular === 0 ? [] : shuffled.splice(0, POPULAR_SEATS);
  const hits = (share: number): boolean => choices.fraction() < share;
  return Array.from({ length: count }, () => {
    const wanted = hits(mix.pairs) ? 2 : 1;
    const wished = hits(mix.popular)
      ? drawn(popular, wanted, choices)
      : shuffled.length >= wanted
        ? shuffled.splice(-wanted)
        : drawn(seatIds, wanted, choices);
    return { seatIds: wished.toSorted(), card: hits(mix.declined) ? 'declined' : 'good' };
  });
}

/** Neighbours in the list, so that two are never the same. */
function drawn(seatIds: readonly string[], wanted: number, choices: SeededChoices): readonly string[] {
  const first = choices.between(0, seatIds.length - 1);
  const count = Math.min(wanted, seatIds.length);
  return Array.from({ length: count }, (_, index) => seatIds[(first + index) % seatIds.length] ?? '');
}
