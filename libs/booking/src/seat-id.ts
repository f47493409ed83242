/**
 * Seat ids: `<eventId>:<section>-<row>-<number>`, unique across events. The parts are restricted so that an id can stand in
 * a URL, in a Redis key (no braces: the event id is the hash tag) and in a record key without escaping.
 */
import { z } from 'zod';

const EVENT_ID = '[A-Za-z0-9][A-Za-z0-9_-]{0,47}';
const SEAT_LABEL = '[A-Za-z0-9]{1,12}-[A-Za-z0-9]{1,6}-[1-9][0-9]{0,4}';

const eventIdPattern = new RegExp(`^${EVENT_ID}$`);
const seatIdPattern = new RegExp(`^${EVENT_ID}:${SEAT_LABEL}$`);

export const eventIdSchema = z
  .string()
  .regex(eventIdPattern, 'letters, digits, _ and -, at most 48')
  .meta({ description: 'Event id', examples: ['spring-gala'] });

export const seatIdSchema = z
  .string()
  .regex(seatIdPattern, '<eventId>:<section>-<row>-<number>')
  .meta({ description: 'Seat id', examples: ['spring-gala:A-12-7'] });

export interface SeatPlace {
  readonly eventId: string;
  readonly section: string;
  readonly row: string;
  readonly number: number;
}

export function formatSeatId(place: SeatPlace): string {
  const seatId = `${place.eventId}:${place.section}-${place.row}-${place.number}`;
  if (!seatIdPattern.test(seatId)) throw new RangeError(`not a seat id: ${seatId}`);
  return seatId;
}

/** The parts of a seat id, or null if it is none. */
export function parseSeatId(seatId: string): SeatPlace | null {
  if (!seatIdPattern.test(seatId)) return null;
  const colon = seatId.indexOf(':');
  const [section = '', row = '', number = ''] = seatId.slice(colon + 1).split('-');
  return { eventId: seatId.slice(0, colon), section, row, number: Number(number) };
}

/** The event of a well-formed seat id. */
export function eventIdOf(seatId: string): string {
  return seatId.slice(0, seatId.indexOf(':'));
}

/** The part of a well-formed seat id that is unique within its event: `A-12-7`. */
export function seatLabelOf(seatId: string): string {
  return seatId.slice(seatId.indexOf(':') + 1);
}

/** Event and section of a well-formed seat id: `spring-gala:A`. */
export function sectionOf(seatId: string): string {
  return seatId.slice(0, seatId.indexOf('-', seatId.indexOf(':')));
}
