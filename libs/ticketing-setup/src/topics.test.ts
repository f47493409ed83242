import { reservationDeadLetters, reservationEvents } from '@seatlog/booking';
import { describe, expect, it } from 'vitest';
import { ticketingTopics } from './topics.ts';

const minInsync = (replicationFactor: number) =>
  ticketingTopics(replicationFactor).map(({ configs }) => configs?.['min.insync.replicas']);

describe('the topics of ticketing', () => {
  it('stand the loss of one replica where there are more, and are usable where there is one', () => {
    expect(minInsync(3)).toEqual(['2', '2', '2']);
    expect(minInsync(2)).toEqual(['1', '1', '1']);
    expect(minInsync(1)).toEqual(['1', '1', '1']);
  });

  it('keep dead letters in the order in which they came', () => {
    const partitions = new Map(ticketingTopics(1).map((topic) => [topic.name, topic.partitions]));
    expect(partitions.get(reservationDeadLetters.name)).toBe(1);
    expect(partitions.get(reservationEvents.name)).toBeGreaterThan(1);
  });

  it('have as many partitions as are asked for', () => {
    expect(ticketingTopics(1, 12).map(({ partitions }) => partitions)).toEqual([12, 12, 1]);
  });
});
