/**
 * The whole of ticketing on this machine: the stack of local-stack with what only the application knows in between,
 * which is its schema, its topics and its events.
 */
import { refundEvents, reservationDeadLetters, reservationEvents } from '@seatlog/booking';
import { migrate, openDatabase, seedEvent, type EventToSeed } from '@seatlog/booking-database';
import { createClient, type TopicToCreate } from '@seatlog/kafka-client';
import { type Stack, type StackOptions, type StackSteps, startStack } from '@seatlog/local-stack';

/** How many partitions the topics that are worked on have. */
export const PARTITIONS = 6;
const TOPIC_DEADLINE_MS = 30_000;

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

export interface TicketingOptions extends Omit<StackOptions, 'steps'> {
  /** Default: the demo's event. */
  readonly event?: EventToSeed;
}

export function startTicketing(options: TicketingOptions): Promise<Stack> {
  const { event = demoEvent, ...stack } = options;
  return startStack({ ...stack, steps: ticketingSteps(event) });
}

function ticketingSteps(event: EventToSeed): StackSteps {
  return {
    migrate: async ({ databaseUrl }) => void (await migrate(databaseUrl)),
    createTopics: ({ brokers, replicationFactor }) => createTopics(brokers, replicationFactor),
    seed: async ({ databaseUrl }) => {
      const database = openDatabase({ url: databaseUrl, applicationName: 'seatlog-seed' });
      try {
        await seedEvent(database, event);
      } finally {
        await database.destroy();
      }
    },
  };
}

/** Losing one replica of three neither stops the sale nor loses a record that was acknowledged. */
function topicsFor(replicationFactor: number): readonly TopicToCreate[] {
  const configs = { 'min.insync.replicas': String(Math.max(1, replicationFactor - 1)) };
  return [
    { name: reservationEvents.name, partitions: PARTITIONS, replicationFactor, configs },
    { name: refundEvents.name, partitions: PARTITIONS, replicationFactor, configs },
    { name: reservationDeadLetters.name, partitions: 1, replicationFactor, configs },
  ];
}

async function createTopics(brokers: string, replicationFactor: number): Promise<void> {
  const client = createClient({ brokers, clientId: 'seatlog-topics', allowAutoTopicCreation: false });
  try {
    await client
      .admin()
      .createTopics(topicsFor(replicationFactor), { ifNotExists: true, timeoutMs: TOPIC_DEADLINE_MS });
  } finally {
    await client.close();
  }
}
