import { describe, expect, it } from 'vitest';
import { hallOf } from './hall.ts';
import { defaultMix, readMix } from './mix.ts';
import { POPULAR_SEATS, wishesFor } from './wishes.ts';

const hall = hallOf('gala', 1_000).seatIds;
const seatsOf = (wishes: ReturnType<typeof wishesFor>): readonly string[] =>
  wishes.flatMap(({ seatIds }) => seatIds);

describe('wishes', () => {
  it('are the same for the same seed, and others for another', () => {
    const first = wishesFor(100, hall, defaultMix, 7);
    expect(wishesFor(100, hall, defaultMix, 7)).toEqual(first);
    expect(wishesFor(100, hall, defaultMix, 8)).not.toEqual(first);
  });

  it('are for different seats while there are some', () => {
    const wanted = seatsOf(wishesFor(600, hall, defaultMix, 7));
    expect(new Set(wanted).size).toBe(wanted.length);
  });

  it('go on when the house is sold out, and never hold one seat twice', () => {
    const wishes = wishesFor(2_000, hall, readMix('pairs=1'), 7);
    expect(wishes.every(({ seatIds }) => seatIds.length === 2 && seatIds[0] !== seatIds[1])).toBe(true);
    expect(new Set(seatsOf(wishes)).size).toBe(hall.length);
  });

  it('fight for popular seats, which nobody else gets', () => {
    const wishes = wishesFor(400, hall, readMix('popular=0.5,pairs=0'), 7);
    const counts = [...Map.groupBy(seatsOf(wishes), (seatId) => seatId).values()].map((list) => list.length);
    expect(counts.filter((count) => count > 1)).toHaveLength(POPULAR_SEATS);
    expect(counts.filter((count) => count === 1).length).toBeGreaterThan(150);
  });

  it('hold about as many declined cards as asked for', () => {
    const wishes = wishesFor(1_000, hall, readMix('declined=0.2'), 7);
    const declined = wishes.filter(({ card }) => card === 'declined').length;
    expect(declined).toBeGreaterThan(150);
    expect(declined).toBeLessThan(250);
  });
});

describe('a mix', () => {
  it.each([
    ['pairs', '--mix pairs: a share lies between 0 and 1'],
    ['pairs=1.5', '--mix pairs=1.5: a share lies between 0 and 1'],
    ['vip=0.1', '--mix vip=0.1: there are pairs, popular, declined'],
  ])('%s is refused', (text, message) => {
    expect(() => readMix(text)).toThrow(message);
  });
});
