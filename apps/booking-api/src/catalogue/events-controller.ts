/** The routes of events and their seats. */
import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { BookingProblem, eventIdSchema } from '@seatlog/booking';
import type { z } from 'zod';
import { ApiProblems } from '../http/api-problems.ts';
import { eventsSchema, seatListSchema } from '../reservations/reservation-schemas.ts';
import { Catalogue, type EventEntry } from './catalogue.ts';
import { SeatLists } from './seat-list.ts';

@ApiTags('events')
@Controller('events')
export class EventsController {
  readonly #catalogue: Catalogue;
  readonly #seatLists: SeatLists;

  constructor(catalogue: Catalogue, seatLists: SeatLists) {
    this.#catalogue = catalogue;
    this.#seatLists = seatLists;
  }

  @Get()
  @ApiOperation({ summary: 'Events, soonest first' })
  @ApiResponse({ status: 200, description: 'Events', standardSchema: eventsSchema })
  @ApiProblems('SEAT_MAP_WARMING', 'OVERLOADED')
  events(): z.infer<typeof eventsSchema> {
    if (!this.#catalogue.isLoaded) throw new BookingProblem('SEAT_MAP_WARMING');
    return this.#catalogue.events.map(({ event, seats, priceOf }) => ({
      eventId: event.eventId,
      name: event.name,
      startsAt: event.startsAt.toISOString(),
      currency: event.currency,
      seats: seats.length,
      priceFrom: lowest(priceOf.values()),
    }));
  }

  @Get(':id/seats')
  @Header('content-type', 'application/json; charset=utf-8')
  @ApiOperation({ summary: 'Seats of an event with their states', description: 'A moment old at most.' })
  @ApiResponse({ status: 200, description: 'Seats', standardSchema: seatListSchema })
  @ApiProblems('NOT_FOUND', 'SEAT_MAP_WARMING', 'STATUS_UNAVAILABLE', 'OVERLOADED')
  seats(@Param('id', { schema: eventIdSchema }) eventId: string): Promise<string> {
    return this.#seatLists.read(this.#entryOf(eventId));
  }

  #entryOf(eventId: string): EventEntry {
    if (!this.#catalogue.isLoaded) throw new BookingProblem('SEAT_MAP_WARMING');
    const entry = this.#catalogue.find(eventId);
    if (entry === undefined) throw new BookingProblem('NOT_FOUND', `There is no event ${eventId}`);
    return entry;
  }
}

function lowest(prices: Iterable<number>): number | null {
  let found: number | null = null;
  for (const price of prices) found = found === null ? price : Math.min(found, price);
  return found;
}
