/** A hall of any size, as an event to seed and as the ids of its seats, which the generator need not ask for. */
import { formatSeatId } from '@seatlog/booking';
import type { EventToSeed, SectionToSeed } from '@seatlog/booking-database';

export interface Hall {
  readonly event: EventToSeed;
  /** For the one order that shows that everything serves before the crowd comes; the crowd does not want it. */
  readonly openingSeatId: string;
  readonly seatIds: readonly string[];
}

const SEATS_PER_ROW = 50;
const ROWS_PER_SECTION = 100;
const SEATS_PER_SECTION = SEATS_PER_ROW * ROWS_PER_SECTION;
const PRICE = 4_500;

/** With `seats` seats, and the one for the opening order. */
export function hallOf(eventId: string, seats: number): Hall {
  const sections: SectionToSeed[] = [];
  const add = (rows: number, seatsPerRow: number): void => {
    if (rows * seatsPerRow > 0)
      sections.push({ name: `S${sections.length + 1}`, rows, seatsPerRow, price: PRICE });
  };
  add(1, 1);
  for (let left = seats; left > 0; left -= SEATS_PER_SECTION) {
    const inSection = Math.min(left, SEATS_PER_SECTION);
    add(Math.floor(inSection / SEATS_PER_ROW), SEATS_PER_ROW);
    add(1, inSection % SEATS_PER_ROW);
  }
  const startsAt = new Date('2030-05-18T19:30:00Z');
  const [openingSeatId = '', ...seatIds] = sections.flatMap((section) => seatIdsOf(eventId, section));
  return {
    event: { eventId, name: 'Load test', startsAt, currency: 'EUR', sections },
    openingSeatId,
    seatIds,
  };
}

function seatIdsOf(eventId: string, { name, rows, seatsPerRow }: SectionToSeed): readonly string[] {
  return Array.from({ length: rows * seatsPerRow }, (_, index) =>
    formatSeatId({
      eventId,
      section: name,
      row: String(1 + Math.floor(index / seatsPerRow)),
      number: 1 + (index % seatsPerRow),
    }),
  );
}
