import { batchBaseOffset } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { contentsOf } from './testing/crash-model.ts';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const START = 1_700_000_000_000;
const DIRECTORY = '/logs/seats-0';
const FIRST = `${DIRECTORY}/00000000000000000000.log`;

type Edit = (contents: Uint8Array) => Uint8Array;

/** Twenty batches of two offsets and 100 bytes, in segments of five. */
function filled(): TestDirectory {
  const test = openTestDirectory({ config: { segmentBytes: 500, indexIntervalBytes: 200 } });
  for (let round = 0; round < 20; round += 1) {
    test.append(
      test.log(),
      testBatch({
        count: 2,
        fill: round,
        timestamp: START + round,
        producerId: 1,
        producerEpoch: 0,
        sequence: round * 2,
      }),
    );
  }
  return test;
}

function messagesOf(test: TestDirectory, level = 'warn'): string[] {
  return test.events.filter((event) => event.level === level).map((event) => event.message);
}

function basesOf(test: TestDirectory): number[] {
  return contentsOf(test.log()).map((batch) => batchBaseOffset(batch));
}

const EVERY_BATCH = Array.from({ length: 20 }, (_, round) => round * 2);

const indexEdits: [string, Edit | 'remove'][] = [
  ['missing', 'remove'],
  ['zeroed', (contents) => contents.fill(0)],
  ['emptied', () => new Uint8Array(0)],
  ['cut within an entry', (contents) => contents.subarray(0, contents.length - 3)],
  ['cut between entries', (contents) => contents.subarray(0, contents.length - 12)],
  [
    'ahead of the log',
    (contents) => Uint8Array.from([...contents, ...Array.from({ length: 24 }, (_, place) => 0x70 + place)]),
  ],
  [
    'pointing into batches',
    (contents) => contents.map((byte, place) => (place === contents.length - 1 ? byte + 1 : byte)),
  ],
  ['garbage', (contents) => contents.fill(0xa5)],
  [
    'with a lower number before the last',
    (contents) => contents.map((byte, place) => (place === contents.length - 5 ? byte - 1 : byte)),
  ],
];

/** Which of the files are edited: both indexes, or one while the other stays. */
const INDEX_FILES = { every: 'index', 'every offset': '.index', 'every time': '.timeindex' } as const;

describe.each(['every', 'every offset', 'every time'] as const)('K4, F4: with %s index file', (which) => {
  for (const [name, edit] of indexEdits) {
    for (const stop of ['clean', 'crash'] as const) {
      it(`${name}, a start after a ${stop} builds them again and a read equals a full scan`, () => {
        let test = filled();
        const expected = contentsOf(test.log()).map((batch) => Buffer.from(batch).toString('hex'));
        test.close();
        const { files } = test;
        if (stop === 'crash') files.unlink('/logs/.kafka_cleanshutdown');
        const names = files.readDirectory(DIRECTORY).map((entry) => entry.name);
        for (const file of names.filter((candidate) => candidate.endsWith(INDEX_FILES[which]))) {
          if (edit === 'remove') files.unlink(`${DIRECTORY}/${file}`);
          else files.tamper(`${DIRECTORY}/${file}`, (contents) => edit(contents.slice()).slice());
        }
        test = test.crash('process');
        expect(test.directory.failures).toEqual(new Map());
        expect(contentsOf(test.log()).map((batch) => Buffer.from(batch).toString('hex'))).toEqual(expected);
        for (let round = 0; round < 20; round += 1) {
          expect(test.log().read(round * 2 + 1, { maxBytes: 1, upperBound: 40 }).nextOffset).toBe(
            round * 2 + 2,
          );
          expect(test.log().findByTimestamp(START + round)?.baseOffset).toBe(round * 2);
        }
        const rebuilt = test.files.readDirectory(DIRECTORY).filter((entry) => entry.name.endsWith('.index'));
        expect(rebuilt).toHaveLength(4);
        // What was built is saved: the next start has nothing to do.
        test = test.restart();
        expect(messagesOf(test, 'info')).toEqual([]);
      });
    }
  }
});

it('K4: a time index that lost everything hides no time that is not at the end', () => {
  let test = openTestDirectory({ config: { segmentBytes: 300, indexIntervalBytes: 1 } });
  for (const timestamp of [100, 900, 200, 300, 400, 500]) test.append(test.log(), testBatch({ timestamp }));
  test.close();
  for (const base of ['00', '03']) {
    test.files.tamper(`${DIRECTORY}/000000000000000000${base}.timeindex`, () => new Uint8Array(0));
  }
  test = test.crash('process');
  expect(test.log().findByTimestamp(800)?.baseOffset).toBe(1);
  expect(test.log().findMaxTimestamp()?.maxTimestamp).toBe(900);
});

describe('K8: after a clean stop', () => {
  it('a start reads the ends of the segments only', () => {
    const test = filled();
    test.close();
    const read: [string, number][] = [];
    test.files.fault = ({ name, path, bytes }) => {
      if (name === 'read' && path.endsWith('.log')) read.push([path.slice(-10), bytes]);
      return undefined;
    };
    const next = test.crash('process');
    const bytesRead = read.reduce((total, [, bytes]) => total + bytes, 0);
    // Of each segment of 500 bytes, at most what lies behind its last index entry; and the head of the last.
    expect(bytesRead).toBeLessThan(4 * 300 + 500);
    expect([next.directory.cleanStart, next.log().logEndOffset, next.log().recoveryPoint]).toEqual([
      true,
      40,
      40,
    ]);
  });

  it('the marker bears the broker epoch, and is gone while the log is in use', () => {
    const test = filled().restart();
    expect([test.directory.cleanStart, test.directory.previousBrokerEpoch]).toEqual([true, 1]);
    expect(test.files.stat('/logs/.kafka_cleanshutdown')).toBeNull();
    const crashed = test.crash('process');
    expect([crashed.directory.cleanStart, crashed.directory.previousBrokerEpoch]).toEqual([false, null]);
  });

  it('F1: a last segment that was cut short since ends with its last whole batch', () => {
    let test = filled();
    test.close();
    test.files.tamper(`${DIRECTORY}/00000000000000000030.log`, (contents) => contents.slice(0, 499));
    test = test.crash('process');
    expect(basesOf(test)).toEqual(EVERY_BATCH.slice(0, 19));
    expect(messagesOf(test)).toEqual([
      `${DIRECTORY}/00000000000000000030.log: cut at position 400 of 499, offset 38 (batch with bad truncated)`,
    ]);
  });

  it('damage to a sealed segment is an error that names file and position, and the others serve on', () => {
    let test = filled();
    test.append(test.log('refunds'), testBatch());
    test.close();
    test.files.tamper(FIRST, (contents) => contents.fill(0, 300, 320));
    test.files.unlink(FIRST.replace('.log', '.index'));
    test = test.crash('process');
    expect(test.directory.failures.get('seats-0')).toMatchObject({
      code: 'LOG_CORRUPT',
      kafkaErrorCode: 56,
      message: `${FIRST} at position 300: batch with bad length`,
    });
    expect(test.directory.get('seats', 0)).toBeUndefined();
    expect(test.log('refunds').logEndOffset).toBe(1);
    expect(test.files.readFile(FIRST), 'nothing is changed').toHaveLength(500);
  });
});

describe('K8: after an unclean stop', () => {
  it.each([
    ['a torn batch', (contents: Uint8Array) => contents.slice(0, 470), 38, 400, 'truncated'],
    ['zeros', (contents: Uint8Array) => contents.fill(0, 310), 36, 300, 'length'],
    ['a flipped bit', (contents: Uint8Array) => contents.with(399, 1), 36, 300, 'checksum'],
    ['another offset', (contents: Uint8Array) => contents.with(307, 99), 36, 300, 'offset'],
    ['half a header', (contents: Uint8Array) => contents.slice(0, 130), 32, 100, 'truncated'],
  ])('F1: the log is cut at %s, and starting once more changes nothing', (_, edit, end, position, damage) => {
    let test = filled();
    const path = `${DIRECTORY}/00000000000000000030.log`;
    const before = test.files.readFile(path).length;
    test.files.tamper(path, edit);
    test = test.crash('process');
    expect([test.log().logEndOffset, test.log().nextAppendOffset]).toEqual([end, end]);
    expect(messagesOf(test)[0]).toBe(
      `${path}: cut at position ${position} of ${edit(new Uint8Array(before)).length}, offset ${end} (batch with bad ${damage})`,
    );
    const found = basesOf(test);
    test = test.crash('power');
    expect([messagesOf(test), basesOf(test)]).toEqual([[], found]);
    expect(test.append(test.log(), testBatch()).firstOffset, 'next offset = last + 1').toBe(end);
  });

  it('later segments are dropped with the one that is cut', () => {
    let test = openTestDirectory({ config: { segmentBytes: 500, indexIntervalBytes: 200 } });
    test.files.completions = 'held';
    for (let round = 0; round < 20; round += 1) {
      test.log().append(testBatch({ count: 2 }), 0, () => undefined);
    }
    test.turns.endAll();
    // The writes are done, and no sync is.
    for (;;) {
      const place = test.files.heldCompletions.findIndex(({ name }) => name === 'write');
      if (place < 0) break;
      test.files.deliver(place);
    }
    expect([test.log().logEndOffset, test.log().recoveryPoint]).toEqual([40, 0]);
    test.files.tamper(`${DIRECTORY}/00000000000000000010.log`, (contents) => contents.fill(0, 250));
    test.files.completions = 'at once';
    test = test.crash('process');
    expect([
      test.log().logEndOffset,
      test
        .log()
        .describeSegments()
        .map((segment) => segment.baseOffset),
    ]).toEqual([14, [0, 10]]);
    expect(messagesOf(test).filter((message) => message.includes('is dropped'))).toHaveLength(2);
    expect(
      test.files.readDirectory(DIRECTORY).filter((entry) => entry.name.endsWith('.log.deleted')),
    ).toHaveLength(2);
  });

  it('only what lies behind the recovery point is read; damage before it is found by whoever reads it', () => {
    let test = filled();
    test.directory.checkpoint();
    expect(test.log().recoveryPoint).toBe(30);
    test.files.tamper(FIRST, (contents) => contents.with(199, 0xff));
    test = test.crash('process');
    expect([messagesOf(test), test.log().logEndOffset]).toEqual([[], 40]);
    expect(() => test.log().read(2, { maxBytes: 1, upperBound: 40 })).toThrow(`${FIRST} at position 100`);
  });

  it('damage before the recovery point that a start comes upon is an error, not an end', () => {
    let test = filled();
    test.directory.checkpoint();
    test.files.tamper(FIRST, (contents) => contents.with(199, 0xff));
    test.files.unlink(FIRST.replace('.log', '.timeindex'));
    test = test.crash('process');
    expect(test.directory.failures.get('seats-0')?.message).toBe(
      `${FIRST} at position 100: batch with bad checksum`,
    );
  });

  it('a failed partition can be dropped and fetched anew', () => {
    let test = filled();
    test.directory.checkpoint();
    test.files.tamper(FIRST, (contents) => contents.fill(0));
    test = test.crash('process');
    expect(test.directory.failures.size).toBe(1);
    expect(() => test.log()).toThrow(/PARTITION_EXISTS|exists/);
    test.directory.delete('seats', 0);
    expect(test.log().logEndOffset).toBe(0);
    expect(test.directory.failures.size).toBe(0);
  });

  it('epochs that are not on disk yet hold the recovery point back, so that a start finds them again', () => {
    let test = openTestDirectory();
    test.append(test.log(), testBatch(), 0);
    test.log().flush(() => undefined);
    test.files.completions = 'held';
    const deliver = (name: string): void => {
      const place = test.files.heldCompletions.findIndex((held) => held.path.endsWith(name));
      if (place < 0) throw new Error(`nothing is in flight for ${name}`);
      test.files.deliver(place);
    };
    test.log().append(testBatch(), 3, () => undefined);
    test.turns.end();
    deliver('.log');
    test.log().flush(() => undefined);
    deliver('.log');
    expect([test.log().logEndOffset, test.log().recoveryPoint]).toEqual([2, 1]);
    test.directory.checkpoint();
    deliver('recovery-point-offset-checkpoint');
    test.files.completions = 'at once';
    test = test.crash('power');
    expect(test.log().leaderEpochs).toEqual([
      { epoch: 0, startOffset: 0 },
      { epoch: 3, startOffset: 1 },
    ]);
  });

  it('the producers stand where the log ends', () => {
    let test = filled();
    test.files.tamper(`${DIRECTORY}/00000000000000000030.log`, (contents) => contents.slice(0, 250));
    test = test.crash('process');
    expect(test.log().producers).toMatchObject([{ producerId: 1, lastSequence: 33, lastOffset: 33 }]);
  });
});

describe('F6: with a garbled', () => {
  it.each([
    'recovery-point-offset-checkpoint',
    'log-start-offset-checkpoint',
    'replication-offset-checkpoint',
  ])('%s, a start warns and does without', (name) => {
    let test = filled();
    test.close();
    test.files.tamper(`/logs/${name}`, () => new TextEncoder().encode('0\nnonsense'));
    test = test.crash('process');
    expect(messagesOf(test)).toEqual([`/logs/${name} is garbled and taken to be empty`]);
    expect(basesOf(test)).toEqual(EVERY_BATCH);
  });

  it('leader-epoch-checkpoint, a start warns and builds it from the log', () => {
    let test = openTestDirectory({ config: { segmentBytes: 300 } });
    for (const epoch of [0, 0, 1, 1, 4]) test.append(test.log(), testBatch(), epoch);
    test.close();
    test.files.tamper(`${DIRECTORY}/leader-epoch-checkpoint`, () => new Uint8Array(7));
    test = test.crash('process');
    expect(messagesOf(test)).toEqual(['leader-epoch-checkpoint is garbled; it is built again from the log']);
    const expected = [
      { epoch: 0, startOffset: 0 },
      { epoch: 1, startOffset: 2 },
      { epoch: 4, startOffset: 4 },
    ];
    expect(test.log().leaderEpochs).toEqual(expected);
    test = test.restart();
    expect([messagesOf(test), test.log().leaderEpochs]).toEqual([[], expected]);
  });

  it('producer snapshot, the producers come from the one before it and the log', () => {
    let test = filled();
    test.close();
    for (const { name } of test.files.readDirectory(DIRECTORY)) {
      if (name.endsWith('.snapshot'))
        test.files.tamper(`${DIRECTORY}/${name}`, (contents) => contents.with(9, 0x55));
    }
    test = test.crash('process');
    expect(test.log().producers).toMatchObject([{ producerId: 1, lastSequence: 39 }]);
  });
});

describe('F13: what a crash left half done', () => {
  it('is finished, or dropped where it was not far enough; what is unknown is kept', () => {
    let test = filled();
    test.close();
    const plant = (name: string, contents = new Uint8Array(10)): void =>
      test.files.tamper(`${DIRECTORY}/${name}`, () => contents);
    plant('00000000000000000099.log.deleted');
    plant('00000000000000000099.index.deleted');
    plant('00000000000000000000.log.cleaned');
    plant('leader-epoch-checkpoint.tmp');
    plant('00000000000000000007.index');
    plant('notes.txt');
    test = test.crash('process');
    const names = test.files.readDirectory(DIRECTORY).map((entry) => entry.name);
    expect(names.filter((name) => !/^\d+\.(log|index|timeindex|snapshot)$/.test(name))).toEqual([
      'leader-epoch-checkpoint',
      'notes.txt',
    ]);
    expect(names).not.toContain('00000000000000000007.index');
    expect(basesOf(test)).toEqual(EVERY_BATCH);
  });

  it('a finished swap takes the place of the segments in its range', () => {
    let test = filled();
    test.close();
    const compacted = Buffer.concat([
      testBatch({ baseOffset: 2, count: 2, fill: 99, leaderEpoch: 0 }),
      testBatch({ baseOffset: 18, count: 2, fill: 98, leaderEpoch: 0 }),
    ]);
    test.files.tamper(`${FIRST}.swap`, () => Uint8Array.from(compacted));
    test.files.tamper(`${FIRST.replace('.log', '.index')}.swap`, () => new Uint8Array(8));
    test = test.crash('process');
    expect(basesOf(test)).toEqual([2, 18, ...EVERY_BATCH.slice(10)]);
    expect(
      test
        .log()
        .describeSegments()
        .map((segment) => segment.baseOffset),
    ).toEqual([0, 20, 30]);
    expect(test.log().read(5, { maxBytes: 1, upperBound: 40 }).nextOffset).toBe(20);
  });
});
