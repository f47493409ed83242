/**
 * One round of the relay: claim, publish, delete what the broker has acknowledged, postpone the rest (T6). Published at
 * least once, in order within a key: of a key, nothing is published after a message that failed.
 */
import type { OutboxMessage } from '@seatlog/booking-database';
import type { Logger } from '@seatlog/observability';

export interface Outbox {
  claim(): Promise<readonly OutboxMessage[]>;
  delete(ids: readonly number[]): Promise<unknown>;
  postpone(ids: readonly number[], delayMs: number): Promise<void>;
}

export interface RelayTopic {
  /** Resolves when all in-sync replicas have the message. */
  publish(message: OutboxMessage): Promise<void>;
}

export interface RelayMeters {
  relayed(count: number): void;
  failed(count: number): void;
}

export interface RelayRoundPorts {
  readonly outbox: Outbox;
  readonly topic: RelayTopic;
  readonly meters: RelayMeters;
  readonly logger: Logger;
}

const FIRST_DELAY_MS = 200;
export const LONGEST_DELAY_MS = 10_000;

/** Gives how many messages were claimed: as many as can be means that there may be more. */
export async function relayRound(ports: RelayRoundPorts): Promise<number> {
  const messages = await ports.outbox.claim();
  const outcomes = await Promise.all([...byKey(messages).values()].map((run) => publishRun(ports, run)));
  const published = outcomes.flatMap((outcome) => outcome.published);
  const failed = outcomes.flatMap((outcome) => outcome.failed);
  if (published.length > 0) await ports.outbox.delete(published.map((message) => message.id));
  ports.meters.relayed(published.length);
  for (const [delayMs, ids] of byDelay(failed)) await ports.outbox.postpone(ids, delayMs);
  ports.meters.failed(failed.length);
  return messages.length;
}

function byKey(messages: readonly OutboxMessage[]): Map<string, OutboxMessage[]> {
  return Map.groupBy(messages, ({ topic, recordKey }) => `${topic} ${recordKey}`);
}

interface RunOutcome {
  readonly published: readonly OutboxMessage[];
  readonly failed: readonly OutboxMessage[];
}

/** Messages of one key, one after another, up to the first that fails. */
async function publishRun(ports: RelayRoundPorts, run: readonly OutboxMessage[]): Promise<RunOutcome> {
  for (const [index, message] of run.entries()) {
    try {
      await ports.topic.publish(message);
    } catch (error) {
      const { messageId, topic, recordKey, attempts } = message;
      ports.logger.warn(
        { error, messageId, topic, recordKey, attempts },
        'message not published, tried again later',
      );
      return { published: run.slice(0, index), failed: run.slice(index) };
    }
  }
  return { published: run, failed: [] };
}

/** Doubles with each attempt of the message. */
function byDelay(failed: readonly OutboxMessage[]): Map<number, number[]> {
  const delays = new Map<number, number[]>();
  for (const { id, attempts } of failed) {
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** attempts, LONGEST_DELAY_MS);
    delays.set(delayMs, [...(delays.get(delayMs) ?? []), id]);
  }
  return delays;
}
