import { describe, expect, it } from 'vitest';
import { BrokerSessions } from './broker-sessions.ts';

const TIMEOUT_MS = 9000;

function ids(expired: readonly { readonly brokerId: number }[]): readonly number[] {
  return expired.map(({ brokerId }) => brokerId);
}

describe('R14: the session of a broker', () => {
  it('ends when nothing was heard for the session timeout, and not before', () => {
    const sessions = new BrokerSessions(TIMEOUT_MS);
    sessions.open(1, 10, 0);
    sessions.open(2, 11, 0);
    sessions.heardOf(2, 11, 20, 5000);
    expect(ids(sessions.expired(8999))).toEqual([]);
    expect(ids(sessions.expired(9000))).toEqual([1]);
    expect(ids(sessions.expired(13_999))).toEqual([1]);
    expect(ids(sessions.expired(14_000))).toEqual([1, 2]);
  });

  it('is prolonged by every heartbeat', () => {
    const sessions = new BrokerSessions(TIMEOUT_MS);
    sessions.open(1, 10, 0);
    for (let now = 2000; now <= 60_000; now += 2000) {
      sessions.heardOf(1, 10, 20, now);
      expect(sessions.expired(now + 1999)).toEqual([]);
    }
  });

  it('is one incarnation’s: an earlier epoch is not alive, and closing it closes nothing', () => {
    const sessions = new BrokerSessions(TIMEOUT_MS);
    sessions.open(1, 10, 0);
    sessions.open(1, 30, 100);
    sessions.close(1, 10);
    expect([sessions.isAlive(1, 10, 200), sessions.isAlive(1, 30, 200)]).toEqual([false, true]);
    sessions.close(1, 30);
    expect(sessions.isAlive(1, 30, 200)).toBe(false);
  });

  it('F27: is not over because the controller stood still', () => {
    const sessions = new BrokerSessions(TIMEOUT_MS);
    sessions.open(1, 10, 0);
    sessions.extend(20_000);
    expect(ids(sessions.expired(28_999))).toEqual([]);
    expect(ids(sessions.expired(29_000))).toEqual([1]);
  });
});

describe('how far brokers are', () => {
  it('is what their heartbeats said, and never less than before (F23)', () => {
    const sessions = new BrokerSessions(TIMEOUT_MS);
    sessions.open(1, 10, 0);
    expect(sessions.haveReached([1], 0)).toBe(false);
    sessions.heardOf(1, 10, 40, 1);
    sessions.heardOf(1, 10, 30, 2);
    expect([sessions.haveReached([1], 40), sessions.haveReached([1], 41)]).toEqual([true, false]);
  });

  it('is unknown of a broker without a session, which holds the others up', () => {
    const sessions = new BrokerSessions(TIMEOUT_MS);
    sessions.heardOf(1, 10, 40, 1);
    expect([sessions.haveReached([], 40), sessions.haveReached([1, 2], 40)]).toEqual([true, false]);
  });

  it('a shutdown is noted where it began, however often it is asked for', () => {
    const sessions = new BrokerSessions(TIMEOUT_MS);
    sessions.open(1, 10, 0);
    expect([sessions.shutdownBegan(1, 50), sessions.shutdownBegan(1, 60)]).toEqual([50, 50]);
  });
});
