/** The topics of ticketing. Keys are text, see partition-key.ts; values are JSON, checked by schema on both sides. */
import { bytes, defineTopic, json, nullable, string } from '@seatlog/kafka-client/topics';
import { refundRequestedSchema, reservationEventSchema } from './reservation-events.ts';

export const reservationEvents = defineTopic({
  name: 'reservation-events',
  key: string,
  value: json(reservationEventSchema),
});

export const refundEvents = defineTopic({
  name: 'refund-events',
  key: string,
  value: json(refundRequestedSchema),
});

/** Records that can never be handled, byte for byte; the cause stands in their headers. */
export const reservationDeadLetters = defineTopic({
  name: 'reservation-events.dlq',
  key: nullable(bytes),
  value: nullable(bytes),
});
