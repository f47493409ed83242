/**
 * Which record key, and so which partition, an event goes to. `seat` (the default) keeps the order of each seat and spreads
 * the rest as far as it can be spread. The others are for experiments: `section` brings the seats of one order together,
 * `event` makes one hot partition of an on-sale day, `user` gives up the order per seat, and leaves that to the database.
 */
import { eventIdOf, sectionOf } from './seat-id.ts';

export const partitionKeyKinds = ['seat', 'section', 'event', 'user'] as const;

export type PartitionKeyKind = (typeof partitionKeyKinds)[number];

interface KeySubject {
  readonly seatId: string;
  readonly userId: string;
}

const keyOf: Readonly<Record<PartitionKeyKind, (subject: KeySubject) => string>> = {
  seat: ({ seatId }) => seatId,
  section: ({ seatId }) => sectionOf(seatId),
  event: ({ seatId }) => eventIdOf(seatId),
  user: ({ userId }) => userId,
};

export function partitionKey(kind: PartitionKeyKind, subject: KeySubject): string {
  return keyOf[kind](subject);
}
