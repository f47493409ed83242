import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listenForOutbox } from '../listen-for-outbox.ts';
import {
  cancelled,
  created,
  databaseFixture,
  orderOf,
  until,
  type DatabaseFixture,
} from '../testing/database-fixture.ts';
import {
  claimOutbox,
  deleteFromOutbox,
  outboxBacklog,
  postponeOutbox,
  type OutboxMessage,
} from './outbox.ts';

const LEASE_MS = 60_000;

describe('the outbox', () => {
  let fixture: DatabaseFixture;
  beforeAll(async () => {
    fixture = await databaseFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(() => fixture.reset());

  async function put(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await sql`INSERT INTO outbox (message_id, topic, record_key, payload)
        VALUES (gen_random_uuid(), 'refund-events', ${key}, '{}')`.execute(fixture.database);
    }
  }
  const claim = (claimant: string, limit = 100, leaseMs = LEASE_MS) =>
    claimOutbox(fixture.database, { claimant, limit, leaseMs });
  const keys = (messages: readonly OutboxMessage[]) => messages.map((message) => message.recordKey);
  const ids = (messages: readonly OutboxMessage[]) => messages.map((message) => message.id);
  const remove = (claimant: string, messages: readonly OutboxMessage[]) =>
    deleteFromOutbox(fixture.database, claimant, ids(messages));

  it('gives messages in order, with the whole run of a key, and takes published ones away', async () => {
    await put('a', 'b', 'a', 'c');
    const claimed = await claim('one');
    expect(keys(claimed)).toEqual(['a', 'b', 'a', 'c']);
    expect(await remove('one', claimed)).toBe(4);
    expect(await outboxBacklog(fixture.database)).toEqual({ messages: 0, oldestAgeMs: 0 });
  });

  it('T6: what one relay has claimed no other gets, nor anything later of the same key', async () => {
    await put('a', 'b', 'a');
    const first = await claim('one', 1);
    expect(keys(first)).toEqual(['a']);
    const second = await claim('two');
    expect(keys(second)).toEqual(['b']);
    await remove('one', first);
    expect(keys(await claim('two'))).toEqual(['a']);
  });

  it('F66: two relays at once share the keys, and no key is with both', async () => {
    await put(...Array.from({ length: 60 }, (_, index) => `key-${index % 12}`));
    const [first, second] = await Promise.all([claim('one', 20), claim('two', 20)]);
    const [ofFirst, ofSecond] = [new Set(keys(first ?? [])), new Set(keys(second ?? []))];
    expect([...ofFirst].filter((key) => ofSecond.has(key))).toEqual([]);
  });

  it('F66: a message whose relay died comes again, under the same id, once the lease is over', async () => {
    await put('a');
    const [lost] = await claim('dead', 1, 1);
    let again: OutboxMessage[] = [];
    await until(async () => (again = await claim('alive')).length > 0);
    expect(again[0]).toMatchObject({ messageId: lost?.messageId, attempts: 1 });
    expect(await remove('dead', again)).toBe(0);
    expect(await remove('alive', again)).toBe(1);
  });

  it('T6: a message that could not be published holds back the later ones of its key, and no others', async () => {
    await put('a', 'a', 'b');
    const claimed = await claim('one');
    const [failed] = claimed;
    await postponeOutbox(fixture.database, 'one', [failed?.id ?? 0], LEASE_MS);
    await remove('one', claimed.slice(2));
    await put('a', 'b');
    expect(keys(await claim('two'))).toEqual(['b']);
    await postponeOutbox(fixture.database, 'one', [failed?.id ?? 0], 0);
    let resumed: OutboxMessage[] = [];
    await until(async () => (resumed = await claim('two')).length > 0);
    expect(keys(resumed)).toEqual(['a', 'a', 'a']);
    expect(ids(resumed)).toEqual(ids(resumed).toSorted((a, b) => a - b));
  });

  it('T6: a commit that leaves something there wakes the listener; connections that break are made anew', async () => {
    let hints = 0;
    const listener = listenForOutbox({ url: fixture.url, onHint: () => (hints += 1) });
    try {
      await until(() => hints > 0);
      const order = orderOf('ann', 1, 1);
      await fixture.apply(...created(order));
      const before = hints;
      await fixture.apply(...cancelled(order));
      await until(() => hints > before);
      const beforeBreak = hints;
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'seatlog-outbox-listener' AND datname = current_database()`.execute(
        fixture.database,
      );
      await until(() => hints > beforeBreak);
      // Listening, a commit, listening again.
      expect(hints).toBeGreaterThanOrEqual(3);
    } finally {
      await listener.close();
    }
  });
});
