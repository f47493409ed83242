/**
 * Wakes the relay when a commit has left something in the outbox. A hint and no more: it may come late, twice or not at all
 * (the connection was just being made anew), so the relay polls as well. It has a connection of its own, outside the pool.
 */
import pg from 'pg';
import { OUTBOX_CHANNEL } from './outbox-channel.ts';

export interface OutboxListener {
  close(): Promise<void>;
}

export interface OutboxListenerOptions {
  readonly url: string;
  readonly onHint: () => void;
  readonly onError?: (error: Error) => void;
}

const RECONNECT_PAUSE_MS = 1000;
const CONNECT_TIMEOUT_MS = 5000;

/** Resolves at once; connects, and connects again, by itself. */
export function listenForOutbox(options: OutboxListenerOptions): OutboxListener {
  const { url, onHint, onError = () => {} } = options;
  let closed = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;

  const connectLater = (): void => {
    client = null;
    if (!closed) timer = setTimeout(() => void connect(), RECONNECT_PAUSE_MS);
  };

  const connect = async (): Promise<void> => {
    const attempt = new pg.Client({
      connectionString: url,
      application_name: 'seatlog-outbox-listener',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client = attempt;
    attempt.on('notification', onHint);
    attempt.on('error', onError);
    // Comes after every way in which the connection can end.
    attempt.once('end', connectLater);
    try {
      await attempt.connect();
      await attempt.query(`LISTEN ${OUTBOX_CHANNEL}`);
      // What was committed while nobody listened.
      onHint();
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      await attempt.end().catch(() => {});
    }
  };

  void connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
