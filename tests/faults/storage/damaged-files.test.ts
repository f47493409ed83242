/** Files of a broker that was stopped or killed, damaged before it is started again, and one that rots while it runs. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../until.ts';
import { AckedJournal, READ_DEADLINE_MS, readAll, readUpTo, type StoredRecord } from './acked-journal.ts';
import { batchPositions, BrokerOnDisk } from './broker-on-disk.ts';

const TOPIC = 'seats';
const RECORDS = 60;

async function written(partitions = 1, properties: Readonly<Record<string, string>> = {}) {
  const broker = await BrokerOnDisk.start({ properties });
  await broker.createTopic(TOPIC, partitions);
  const journals = Array.from({ length: partitions }, (_, at) => new AckedJournal(broker.client, TOPIC, at));
  const written = await Promise.all(journals.map((journal) => journal.write(RECORDS)));
  expect(written).toEqual(journals.map(() => true));
  const [first, ...others] = journals;
  if (first === undefined) throw new Error('a topic has a partition');
  return { broker, journal: first, journals: [first, ...others] };
}

function flipByte(path: string, position: number): void {
  const byte = readFileSync(path)[position] ?? 0;
  const file = openSync(path, 'r+');
  writeSync(file, Uint8Array.of(byte ^ 0xff), 0, 1, position);
  closeSync(file);
}

describe('F1: a torn tail', () => {
  it.each([
    ['a byte less than it had', (last: number, size: number) => Math.max(last, size - 1)],
    ['the header of its last batch alone', (last: number) => last + 61],
    ['half a header of its last batch', (last: number) => last + 20],
  ])('with %s: all up to the last whole batch is kept, and another start changes nothing', async (_, cut) => {
    const { broker, journal } = await written();
    await broker.crash();
    const active = broker.files(TOPIC, 0, '.log').at(-1) ?? '';
    const whole = readFileSync(active);
    const last = batchPositions(whole).at(-1) ?? 0;
    truncateSync(active, cut(last, whole.length));

    await broker.startAgain();
    expect(broker.said()).toContain(`cut at position ${last} of ${cut(last, whole.length)}`);
    expect(await readAll(broker.client, journal)).toEqual(journal.acked.slice(0, -1));
    await broker.crash();
    const before = broker.files(TOPIC, 0, '.log').map((file) => readFileSync(file));
    await broker.startAgain();
    expect(broker.said()).not.toContain('cut at position');
    expect(broker.files(TOPIC, 0, '.log').map((file) => readFileSync(file))).toEqual(before);

    const after = await broker.client.producer().send({ topic: TOPIC, partition: 0, value: 'next' });
    expect(after.offset).toBe(RECORDS - 1);
  });
});

/** What a client may be told by a broker that has just been started, before it is told of its disk. */
const OF_A_START = new Set([
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'NOT_LEADER_OR_FOLLOWER',
  'CONNECTION_CLOSED',
  'CONNECTION_FAILED',
]);

describe('F3: bit rot in a sealed segment', () => {
  /** Reads on until so many records have come and the broker refused more; gives what came, and by which codes. */
  async function readUntilRefused(broker: BrokerOnDisk, expected: number) {
    const refused = new AbortController();
    const codes = new Set<string>();
    let come = 0;
    const hear = (message: unknown): void => {
      const { operation, code, partition } = message as Record<string, unknown>;
      if (operation !== 'fetch' || partition !== 0 || OF_A_START.has(String(code))) return;
      codes.add(String(code));
      if (come >= expected) refused.abort();
    };
    const isEnough = (records: readonly StoredRecord[]): boolean => {
      come = records.length;
      return come > expected || (come === expected && codes.size > 0);
    };
    subscribe('seatlog:kafka:retry', hear);
    try {
      const giveUp = AbortSignal.any([refused.signal, AbortSignal.timeout(READ_DEADLINE_MS)]);
      const records = await readUpTo(broker.client, { topic: TOPIC, partition: 0 }, isEnough, giveUp);
      return { records, codes: [...codes] };
    } finally {
      unsubscribe('seatlog:kafka:retry', hear);
    }
  }

  /** Spoils the second batch of the second segment; gives how many records lie before it. */
  function spoil(broker: BrokerOnDisk): number {
    const [, sealed = ''] = broker.files(TOPIC, 0, '.log');
    const [, second = 0, third = 0] = batchPositions(readFileSync(sealed));
    flipByte(sealed, (second + third) >> 1);
    return Number(/(\d{20})\.log$/.exec(sealed)?.[1]) + 1;
  }

  async function servesOthers(broker: BrokerOnDisk, other: AckedJournal | undefined): Promise<void> {
    expect(await other?.write(5)).toBe(true);
    expect(await other?.complaints()).toEqual([]);
    expect(await broker.isHealthy()).toBe(true);
  }

  // What was appended a moment ago is served from memory, which does not rot with the disk.
  const fromDisk = { 'seatlog.log.tail.cache.bytes': '0' };

  it.each(['at rest', 'live'] as const)(
    '%s: the bad bytes are never served, other partitions are, and the broker lives',
    async (when) => {
      const { broker, journal, journals } = await written(2, fromDisk);
      const { pid } = broker.server.process;
      if (when === 'at rest') await broker.end('stop');
      const good = spoil(broker);
      if (when === 'at rest') await broker.startAgain();

      const { records, codes } = await readUntilRefused(broker, good);
      expect(records).toEqual(journal.acked.slice(0, good));
      expect(codes).toEqual(['KAFKA_STORAGE_ERROR']);
      expect(broker.said()).toContain('batch with bad checksum');
      await servesOthers(broker, journals[1]);
      if (when === 'live') expect(broker.server.process.pid).toBe(pid);
    },
  );

  it('behind the recovery point after a crash: it is the end of the log, and a warning names it', async () => {
    const { broker, journal, journals } = await written(2);
    await broker.crash();
    const good = spoil(broker);
    await broker.startAgain();
    expect(await readAll(broker.client, journal)).toEqual(journal.acked.slice(0, good));
    expect(broker.said()).toContain(`offset ${good} (batch with bad checksum)`);
    await servesOthers(broker, journals[1]);
  });
});

describe('F4: index files', () => {
  const edits: readonly (readonly [string, (path: string) => void])[] = [
    ['zeroed', (path) => writeFileSync(path, new Uint8Array(statSync(path).size))],
    ['cut within an entry', (path) => truncateSync(path, Math.floor(statSync(path).size / 2) + 3)],
    ['missing', (path) => rmSync(path)],
    ['ahead of the log', (path) => writeFileSync(path, new Uint8Array(96).fill(0x7f), { flag: 'a' })],
  ];

  it.each(['stop', 'crash'] as const)(
    'zeroed, cut, missing or ahead after a %s: a fetch equals a full scan from every offset',
    async (how) => {
      const { broker, journals } = await written(edits.length);
      await broker.end(how);
      for (const [partition, [, edit]] of edits.entries()) {
        const indexes = [
          ...broker.files(TOPIC, partition, '.index'),
          ...broker.files(TOPIC, partition, '.timeindex'),
        ];
        expect(indexes.length).toBeGreaterThan(6);
        for (const path of indexes) edit(path);
      }
      await broker.startAgain();
      for (const [partition, [name]] of edits.entries()) {
        const journal = journals[partition];
        if (journal === undefined) throw new Error('every partition was written');
        expect(await journal.complaints(), name).toEqual([]);
        for (let from = 1; from < RECORDS; from += 7) {
          const place = { topic: TOPIC, partition, from };
          const [first] = await readUpTo(broker.client, place, (all) => all.length > 0, READ_DEADLINE_MS);
          expect(first, `${name}, from ${from}`).toEqual(journal.acked[from]);
          const at = await broker.client
            .admin()
            .listOffsets([{ topic: TOPIC, partition }], journal.timestampOf(from));
          expect(at[0]?.offset, `${name}, at the time of ${from}`).toBe(from);
        }
      }
    },
  );
});

describe('F6: garbled checkpoints and epochs', () => {
  it.each(['stop', 'crash'] as const)('after a %s: a warning each, and all is served', async (how) => {
    const { broker, journal } = await written();
    await broker.end(how);
    const checkpoints = [
      'recovery-point-offset-checkpoint',
      'log-start-offset-checkpoint',
      'replication-offset-checkpoint',
    ];
    for (const name of checkpoints) writeFileSync(join(broker.logDirectory, name), '0\nmany\nseats 0 x\n');
    writeFileSync(join(broker.partitionFolder(TOPIC), 'leader-epoch-checkpoint'), '\u0000\u0001 epochs');

    await broker.startAgain();
    for (const name of checkpoints) expect(broker.said()).toContain(`${name} is garbled`);
    expect(broker.said()).toContain('leader-epoch-checkpoint is garbled');
    expect(broker.said()).toContain('"level":"warn"');
    expect(await journal.complaints()).toEqual([]);
    expect(await journal.write(5)).toBe(true);
    expect(await journal.complaints()).toEqual([]);
    await broker.end('stop');
    await broker.startAgain();
    expect(broker.said()).not.toContain('garbled');
    expect(await journal.complaints()).toEqual([]);
  });
});

describe('F13: leftovers', () => {
  it('are finished or moved aside, and what is unknown is kept', async () => {
    const { broker, journal } = await written();
    await broker.crash();
    const folder = broker.partitionFolder(TOPIC);
    const [firstSegment = ''] = broker.files(TOPIC, 0, '.log');
    const dropped = [
      '00000000000000009999.log.deleted',
      '00000000000000000000.log.cleaned',
      'leader-epoch-checkpoint.tmp',
    ];
    for (const name of dropped) writeFileSync(join(folder, name), 'half of something');
    // A compaction that found nothing to drop, interrupted after its last file was renamed.
    copyFileSync(firstSegment, `${firstSegment}.swap`);
    writeFileSync(join(folder, 'notes.txt'), 'by hand');
    const plant = (name: string): string => {
      mkdirSync(join(broker.logDirectory, name));
      writeFileSync(join(broker.logDirectory, name, 'anything'), name);
      return name;
    };
    const removed = plant(`${TOPIC}-7.${'0'.repeat(32)}-delete`);
    const unknown = plant('not a partition');
    const stray = plant('gone-3');

    await broker.startAgain();
    // One of the names is in use again for a moment: the new leader epoch is written beside its file first.
    const left = [...dropped, `${basename(firstSegment)}.swap`];
    await expect.poll(() => readdirSync(folder).filter((name) => left.includes(name))).toEqual([]);
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('by hand');
    await until('the deleted partition gone', () => !existsSync(join(broker.logDirectory, removed)));
    expect(readFileSync(join(broker.logDirectory, unknown, 'anything'), 'utf8')).toBe(unknown);
    const strays = () => readdirSync(broker.logDirectory).filter((name) => name.startsWith(stray));
    await until('the stray partition moved aside', () => !strays().includes(stray));
    const kept = strays();
    expect(kept).toEqual([expect.stringMatching(/^gone-3\.[0-9a-f]{32}-stray$/)]);
    expect(readFileSync(join(broker.logDirectory, kept[0] ?? '', 'anything'), 'utf8')).toBe(stray);
    expect(await journal.complaints()).toEqual([]);
    expect(await journal.write(5)).toBe(true);
    expect(await journal.complaints()).toEqual([]);
  });
});
