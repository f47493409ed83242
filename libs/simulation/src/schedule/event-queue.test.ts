import { describe, expect, it } from 'vitest';
import { EventQueue } from './event-queue.ts';
import { Trace } from './trace.ts';

function queueOf(delays: readonly number[]): { readonly queue: EventQueue; readonly ran: string[] } {
  const queue = new EventQueue(new Trace());
  const ran: string[] = [];
  for (const [place, delay] of delays.entries()) {
    queue.schedule(delay, 'event', place, () => ran.push(`${place}@${queue.now}`));
  }
  return { queue, ran };
}

describe('the queue of events', () => {
  it('runs them in the order of their moments, and of their coming at one moment', () => {
    const { queue, ran } = queueOf([5, 1, 5, 0, 3, 1]);
    while (queue.runNext());
    expect(ran).toEqual(['3@0', '1@1', '5@1', '4@3', '0@5', '2@5']);
    expect(queue.count).toBe(6);
  });

  it('does not run what was cancelled, nor count it', () => {
    const { queue, ran } = queueOf([2]);
    queue.cancel(queue.schedule(1, 'cancelled', 9, () => ran.push('cancelled')));
    queue.advance(10);
    expect([ran, queue.count, queue.now]).toEqual([['0@2'], 1, 10]);
  });

  it('runs what events schedule within the time that passes, and no more', () => {
    const { queue, ran } = queueOf([]);
    const again = (): void => {
      ran.push(String(queue.now));
      queue.schedule(4, 'again', 0, again);
    };
    queue.schedule(0, 'first', 0, again);
    queue.advance(9);
    expect(ran).toEqual(['0', '4', '8']);
  });
});

describe('a trace', () => {
  const traced = (labels: readonly string[]): string => {
    const trace = new Trace();
    labels.forEach((label, at) => trace.note(at, label, 1));
    return trace.hash;
  };

  it('is the same for the same events, and another for others or in another order', () => {
    expect(traced(['a', 'b', 'a'])).toBe(traced(['a', 'b', 'a']));
    expect(new Set([traced(['a', 'b']), traced(['a', 'a']), traced(['a', 'b', 'b'])]).size).toBe(3);
  });

  it('is the same whether lines are written or not', () => {
    const lines: string[] = [];
    const written = new Trace((line) => lines.push(line));
    written.note(0, 'a', 1);
    written.tell(0, 1, () => 'told');
    expect(written.hash).toBe(traced(['a']));
    expect(lines).toEqual(['       0.000    1  told']);
  });
});
