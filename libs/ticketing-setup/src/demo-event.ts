/** The event that demo and Docker put on sale: a thousand seats in three price classes. */
import type { EventToSeed } from '@seatlog/booking-database';

export const demoEvent: EventToSeed = {
  eventId: 'spring-gala',
  name: 'Spring Gala',
  startsAt: new Date('2030-05-18T19:30:00Z'),
  currency: 'EUR',
  sections: [
    { name: 'A', rows: 10, seatsPerRow: 20, price: 9_500 },
    { name: 'B', rows: 15, seatsPerRow: 20, price: 6_500 },
    { name: 'C', rows: 25, seatsPerRow: 20, price: 4_500 },
  ],
};
