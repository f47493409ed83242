/**
 * The whole of ticketing on this machine: the stack of local-stack with what only the application knows in between,
 * which is its schema, its topics and its events.
 */
import { migrate, type EventToSeed } from '@seatlog/booking-database';
import { type Stack, type StackOptions, type StackSteps, startStack } from '@seatlog/local-stack';
import { createTicketingTopics, demoEvent, putOnSale } from '@seatlog/ticketing-setup';

export interface TicketingOptions extends Omit<StackOptions, 'steps'> {
  /** Default: the demo's event. */
  readonly event?: EventToSeed;
  /** Of the topics that are worked on. Topics that exist are left as they are. */
  readonly partitions?: number;
}

export function startTicketing(options: TicketingOptions): Promise<Stack> {
  const { event = demoEvent, partitions, ...stack } = options;
  return startStack({ ...stack, steps: ticketingSteps(event, partitions) });
}

function ticketingSteps(event: EventToSeed, partitions: number | undefined): StackSteps {
  return {
    migrate: async ({ databaseUrl }) => void (await migrate(databaseUrl)),
    createTopics: ({ brokers, replicationFactor }) =>
      createTicketingTopics(brokers, replicationFactor, partitions),
    seed: async ({ databaseUrl }) => void (await putOnSale(databaseUrl, event)),
  };
}
