import { describe, expect, it } from 'vitest';
import { checkHistory } from './check-history.ts';
import { poll, send, Story } from './testing/story.ts';

/** Three records, all acknowledged and read. */
const sound = (): Story =>
  new Story()
    .sent(1, 0)
    .sent(2, 1)
    .sent(3, 2)
    .polled([
      [0, 1],
      [1, 2],
    ])
    .polled([[2, 3]]);

describe('a sound history', () => {
  it('has no anomalies', () => {
    expect(sound().anomalies()).toEqual([]);
  });

  it('may hold what was refused and is not there, and what was not answered, there or not', () => {
    const story = sound().refused(4).unanswered(5).unanswered(6).sent(7, 4);
    expect(
      story
        .polled([
          [3, 5],
          [4, 7],
        ])
        .anomalies(),
    ).toEqual([]);
  });

  it('may have holes at offsets of which nothing is known', () => {
    expect(
      new Story()
        .sent(1, 0)
        .sent(2, 5)
        .polled([
          [0, 1],
          [5, 2],
        ])
        .anomalies(),
    ).toEqual([]);
  });
});

describe('writes', () => {
  it('lost: acknowledged and passed over by all readers', () => {
    const story = new Story()
      .sent(1, 0)
      .sent(2, 1)
      .sent(3, 2)
      .polled([[2, 3]])
      .polled([[0, 1]], 'other');
    expect(story.anomalies()).toEqual(['lost-write']);
  });

  it('unseen: acknowledged, and nobody read as far', () => {
    expect(sound().sent(4, 3).anomalies()).toEqual(['unseen']);
  });

  it('duplicate: one value at two offsets, or in two partitions', () => {
    expect(
      sound()
        .polled([[3, 2]])
        .anomalies(),
    ).toEqual(['duplicate']);
    expect(
      sound()
        .polled([[0, 2]], 'reader', 'seats-1')
        .anomalies(),
    ).toEqual(['duplicate']);
  });

  it('inconsistent offsets: two readers are told two values of one offset', () => {
    const story = new Story()
      .sent(1, 0)
      .unanswered(2)
      .polled([[0, 1]])
      .polled([[0, 2]], 'other');
    expect(story.anomalies()).toEqual(['inconsistent-offsets']);
  });

  it('inconsistent offsets: two producers are told the same offset', () => {
    const kinds = new Story()
      .sent(1, 0)
      .sent(2, 0, 'other')
      .polled([[0, 2]])
      .anomalies();
    expect(kinds).toContain('inconsistent-offsets');
  });

  it('nonmonotonic send: a later send of the process lies earlier', () => {
    const story = new Story().sent(1, 1).sent(2, 0);
    story.polled([
      [0, 2],
      [1, 1],
    ]);
    expect(story.anomalies()).toEqual(['nonmonotonic-send']);
    expect(
      new Story()
        .sent(1, 1)
        .sent(2, 0, 'other')
        .polled([
          [0, 2],
          [1, 1],
        ])
        .anomalies(),
    ).toEqual([]);
  });
});

describe('reads', () => {
  it('aborted: of a record that was refused', () => {
    expect(
      sound()
        .refused(4)
        .polled([[3, 4]])
        .anomalies(),
    ).toEqual(['aborted-read']);
  });

  it('unsent: of a record that nobody sent', () => {
    expect(
      sound()
        .polled([[3, 4]])
        .anomalies(),
    ).toEqual(['unsent-read']);
  });

  it('nonmonotonic poll: back without a move, from poll to poll and within one', () => {
    expect(
      sound()
        .polled([[2, 3]])
        .anomalies(),
    ).toEqual(['nonmonotonic-poll']);
    const within = new Story()
      .sent(1, 0)
      .sent(2, 1)
      .polled([
        [1, 2],
        [0, 1],
      ]);
    expect(within.anomalies()).toEqual(['nonmonotonic-poll']);
  });

  it('poll skip: past a record that is there', () => {
    const story = new Story()
      .sent(1, 0)
      .sent(2, 1)
      .sent(3, 2)
      .polled([[0, 1]])
      .polled([[2, 3]]);
    expect(story.polled([[1, 2]], 'other').anomalies()).toEqual(['poll-skip']);
  });

  it('poll skip: past a record that only another reader knows', () => {
    const story = new Story()
      .sent(1, 0)
      .unanswered(2)
      .sent(3, 2)
      .polled([[0, 1]])
      .polled([[2, 3]]);
    expect(story.polled([[1, 2]], 'other').anomalies()).toEqual(['poll-skip']);
  });

  it('may go anywhere after a rebalance or a seek, and only in the partitions that were moved', () => {
    expect(
      sound()
        .moved()
        .polled([
          [0, 1],
          [1, 2],
        ])
        .anomalies(),
    ).toEqual([]);
    expect(
      sound()
        .moved('reader', ['seats-0'])
        .polled([[1, 2]])
        .anomalies(),
    ).toEqual([]);
    expect(
      sound()
        .moved('reader', ['seats-1'])
        .polled([[1, 2]])
        .anomalies(),
    ).toEqual(['nonmonotonic-poll']);
    expect(
      sound()
        .moved('other')
        .polled([[1, 2]])
        .anomalies(),
    ).toEqual(['nonmonotonic-poll']);
  });
});

describe('transactions', () => {
  it('G0: overwrite each other in a circle', () => {
    const story = new Story()
      .committed('one', [send('a', 1, 0), send('b', 2, 1)])
      .committed('two', [send('a', 3, 1), send('b', 4, 0)])
      .polled(
        [
          [0, 1],
          [1, 3],
        ],
        'reader',
        'a',
      )
      .polled(
        [
          [0, 4],
          [1, 2],
        ],
        'reader',
        'b',
      );
    expect(story.anomalies()).toEqual(['G0']);
  });

  it('G1c: read each other’s writes', () => {
    const story = new Story()
      .committed('one', [send('a', 1, 0), poll('b', [0, 2])])
      .committed('two', [send('b', 2, 0), poll('a', [0, 1])]);
    expect(story.anomalies()).toEqual(['G1c']);
  });

  it('G1c: a plain send in between closes the circle', () => {
    const story = new Story()
      .committed('one', [send('a', 1, 0), send('b', 2, 1)])
      .sent(3, 1, 'plain', 'a')
      .committed('two', [poll('a', [0, 1], [1, 3]), send('b', 4, 0)])
      .polled(
        [
          [0, 4],
          [1, 2],
        ],
        'reader',
        'b',
      );
    expect(story.anomalies()).toEqual(['G1c']);
  });

  it('may follow each other', () => {
    const story = new Story()
      .committed('one', [send('a', 1, 0), send('b', 2, 0)])
      .committed('two', [poll('a', [0, 1]), send('a', 3, 1), send('b', 4, 1)])
      .committed('three', [poll('a', [1, 3]), poll('b', [0, 2], [1, 4])]);
    expect(story.anomalies()).toEqual([]);
  });
});

it('names who, what and where', () => {
  const [anomaly] = checkHistory(sound().sent(4, 3).recorder.history);
  expect(anomaly?.message).toBe(
    'producer was told that 4 is written at offset 3; it was never read, and seats-0 was read up to 2',
  );
});
