import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partitionKey } from './partition-key.ts';
import { eventIdOf, formatSeatId, parseSeatId, seatLabelOf, sectionOf } from './seat-id.ts';

const places = fc.record({
  eventId: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/),
  section: fc.stringMatching(/^[A-Za-z0-9]{1,12}$/),
  row: fc.stringMatching(/^[A-Za-z0-9]{1,6}$/),
  number: fc.integer({ min: 1, max: 99_999 }),
});

describe('seat ids', () => {
  it('are put together and taken apart without loss', () => {
    fc.assert(
      fc.property(places, (place) => {
        const seatId = formatSeatId(place);
        expect(parseSeatId(seatId)).toEqual(place);
        expect(eventIdOf(seatId)).toBe(place.eventId);
        expect(sectionOf(seatId)).toBe(`${place.eventId}:${place.section}`);
        expect(`${place.eventId}:${seatLabelOf(seatId)}`).toBe(seatId);
      }),
    );
  });

  it.each([
    '',
    'gala',
    'gala:A-1',
    'gala:A-1-0',
    'gala:A-1-01',
    'gala:A-1-1-1',
    'ga{la}:A-1-1',
    'ga|la:A-1-1',
    ':A-1-1',
  ])('refuses %j', (text) => expect(parseSeatId(text)).toBeNull());

  it('refuses to put together what could not be taken apart', () => {
    expect(() => formatSeatId({ eventId: 'gala', section: 'A-B', row: '1', number: 1 })).toThrow(RangeError);
  });

  it('give the partition key of each kind', () => {
    const subject = { seatId: 'spring-gala:A-12-7', userId: 'ann' };
    expect(partitionKey('seat', subject)).toBe('spring-gala:A-12-7');
    expect(partitionKey('section', subject)).toBe('spring-gala:A');
    expect(partitionKey('event', subject)).toBe('spring-gala');
    expect(partitionKey('user', subject)).toBe('ann');
  });
});
