import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  created,
  databaseFixture,
  EVENT,
  NOW,
  orderOf,
  seat,
  type DatabaseFixture,
} from '../testing/database-fixture.ts';
import { markReplayed, parkedKeyOf, parkedKeys, parkRecord, readParkedRecords } from './parked-records.ts';
import { readEvents, readLiveReservations, readSeats } from './read-catalogue.ts';
import { seedEvent } from './seed-event.ts';

describe('the catalogue', () => {
  let fixture: DatabaseFixture;
  beforeAll(async () => {
    fixture = await databaseFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const matinee = {
    eventId: 'matinee',
    name: 'Matinée',
    startsAt: new Date(NOW - 1000),
    currency: 'EUR',
    sections: [{ name: 'B', rows: 11, seatsPerRow: 2, price: 1000 }],
  };

  it('seeds an event once, and adds to it what is missing', async () => {
    expect(await seedEvent(fixture.database, matinee)).toEqual({ insertedSeats: 22, seats: 22 });
    expect(await seedEvent(fixture.database, matinee)).toEqual({ insertedSeats: 0, seats: 22 });
    const wider = { ...matinee, sections: [{ name: 'B', rows: 11, seatsPerRow: 3, price: 1000 }] };
    expect(await seedEvent(fixture.database, wider)).toEqual({ insertedSeats: 11, seats: 33 });
    const events = await readEvents(fixture.database);
    expect(events.map(({ eventId, revision }) => [eventId, revision])).toEqual([
      ['matinee', 3],
      [EVENT, 1],
    ]);
  });

  it('gives seats in the order of a hall: row 2 before row 10', async () => {
    await seedEvent(fixture.database, matinee);
    const seats = await readSeats(fixture.database, 'matinee');
    const rows = [...new Set(seats.map((each) => each.row))];
    expect(rows).toEqual(Array.from({ length: 11 }, (_, index) => String(index + 1)));
    expect(seats[0]).toEqual({ seatId: 'matinee:B-1-1', section: 'B', row: '1', number: 1, price: 1000 });
  });

  it('refuses an event id that could not stand in a seat id', async () => {
    await expect(seedEvent(fixture.database, { ...matinee, eventId: 'a:b' })).rejects.toThrow(
      'letters, digits',
    );
  });

  it('knows which seats are sold, and to whom', async () => {
    const order = orderOf('ann', 1, 1);
    await fixture.apply(...created(order), ...created(orderOf('bob', 2, 1)));
    expect(await readLiveReservations(fixture.database, EVENT)).toMatchObject([
      { seatId: seat(1), orderId: order.orderId, epoch: 1 },
    ]);
    expect(await readLiveReservations(fixture.database, 'matinee')).toEqual([]);
  });

  it('T7: parks a record once, and its key until it is replayed', async () => {
    const [key, value] = [Buffer.from('gala:A-1-1'), Buffer.from([0, 255, 1])];
    const poison = { topic: 't', partition: 3, offset: 9, key, value, headers: { a: 'b' } };
    const cause = { code: 'DECODE_FAILED', message: 'the bytes are no JSON', attempts: 1 };
    expect(await parkRecord(fixture.database, { ...poison, ...cause })).toBe(true);
    expect(await parkRecord(fixture.database, { ...poison, ...cause })).toBe(false);
    await parkRecord(fixture.database, { ...poison, ...cause, offset: 8, key: null });
    expect([...(await parkedKeys(fixture.database, 't'))]).toEqual([parkedKeyOf(key)]);
    const waiting = await readParkedRecords(fixture.database, 't', 10);
    expect(waiting.map((record) => record.offset)).toEqual([8, 9]);
    expect(waiting[1]).toMatchObject({ ...poison, ...cause });
    await markReplayed(
      fixture.database,
      waiting.map((record) => record.id),
    );
    expect((await parkedKeys(fixture.database, 't')).size).toBe(0);
    expect(await readParkedRecords(fixture.database, 't', 10)).toEqual([]);
  });
});
