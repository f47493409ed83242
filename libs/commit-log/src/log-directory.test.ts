import { SeededRandom, MemoryFileSystem } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const ID = 'dGVzdC10b3BpYy1pZC0xMg';

function textOf(test: TestDirectory, name: string): string {
  return new TextDecoder().decode(test.files.readFile(`/logs/${name}`));
}

describe('a log directory', () => {
  it('K2: holds Kafka’s files', () => {
    const test = openTestDirectory();
    test.directory.create('seats', 3, { topicId: ID, config: test.config });
    test.append(test.log('seats', 3), testBatch({ count: 5 }), 2);
    test.log('seats', 3).updateHighWatermark(4);
    test.close();
    expect(test.files.readDirectory('/logs').map((entry) => entry.name)).toEqual([
      '.kafka_cleanshutdown',
      '.lock',
      'log-start-offset-checkpoint',
      'meta.properties',
      'recovery-point-offset-checkpoint',
      'replication-offset-checkpoint',
      'seats-3',
    ]);
    expect(textOf(test, 'meta.properties')).toMatch(
      /^#\ncluster\.id=MkU3OEVBNTcwNTJENDM2Qk\ndirectory\.id=[\w-]{22}\nnode\.id=1\nversion=1\n$/,
    );
    expect(textOf(test, '.kafka_cleanshutdown')).toBe('{"version":0,"brokerEpoch":1}');
    expect(textOf(test, 'recovery-point-offset-checkpoint')).toBe('0\n1\nseats 3 5\n');
    expect(textOf(test, 'log-start-offset-checkpoint')).toBe('0\n1\nseats 3 0\n');
    expect(textOf(test, 'replication-offset-checkpoint')).toBe('0\n1\nseats 3 4\n');
    expect(textOf(test, 'seats-3/partition.metadata')).toBe(`version: 0\ntopic_id: ${ID}\n`);
    expect(textOf(test, 'seats-3/leader-epoch-checkpoint')).toBe('0\n1\n2 0\n');
    expect(test.files.readFile('/logs/.lock')).toHaveLength(0);
  });

  it('R9: takes the high watermark from its checkpoint, bounded by the log', () => {
    let test = openTestDirectory();
    test.append(test.log(), testBatch({ count: 10 }));
    test.log().updateHighWatermark(7);
    test.clock.advance(5000);
    test = test.crash('process');
    expect(test.log().highWatermark).toBe(7);
    test.files.tamper('/logs/replication-offset-checkpoint', () =>
      new TextEncoder().encode('0\n1\nseats 0 99\n'),
    );
    test = test.crash('process');
    expect(test.log().highWatermark).toBe(10);
  });

  it('keeps what the checkpoints say of partitions that are not loaded', () => {
    let test = openTestDirectory();
    test.append(test.log('a'), testBatch({ count: 3 }));
    test.append(test.log('b'), testBatch({ count: 4 }));
    test = test.restart({ load: false });
    expect(test.directory.notLoaded().map((found) => found.topic)).toEqual(['a', 'b']);
    expect(test.directory.load('a', 0, test.config)?.logEndOffset).toBe(3);
    expect(test.directory.load('c', 0, test.config)).toBeNull();
    test = test.restart({ load: true });
    expect(textOf(test, 'recovery-point-offset-checkpoint')).toBe('0\n2\na 0 3\nb 0 4\n');
    expect([test.directory.cleanStart, test.log('b').logEndOffset]).toEqual([true, 4]);
  });

  it('KAFKA-15375: leaves no clean-stop marker after a start that was not clean and did not load everything', () => {
    let test = openTestDirectory();
    test.append(test.log(), testBatch());
    test = test.crash('process', { load: false });
    test.close();
    expect(test.files.stat('/logs/.kafka_cleanshutdown')).toBeNull();
  });

  it('F24: after a clean stop, says nothing of a broker epoch where a partition is gone', () => {
    let test = openTestDirectory();
    for (const topic of ['empty', 'full']) test.log(topic);
    test.append(test.log('full'), testBatch({ count: 3 }));
    test = test.restart();
    expect(test.directory.previousBrokerEpoch).toBe(1);
    test.close();
    const remove = (name: string): void => {
      for (const file of test.files.readDirectory(`/logs/${name}`)) {
        test.files.unlink(`/logs/${name}/${file.name}`);
      }
      test.files.removeDirectory(`/logs/${name}`);
    };
    remove('empty-0');
    test = openTestDirectory({ files: test.files });
    expect(test.directory.previousBrokerEpoch).toBe(1);
    test.close();
    remove('full-0');
    test = openTestDirectory({ files: test.files });
    expect([test.directory.cleanStart, test.directory.previousBrokerEpoch]).toEqual([true, null]);
  });

  it('F24: does not miss a partition that was deleted in order', () => {
    let test = openTestDirectory();
    test.append(test.log('a'), testBatch({ count: 3 }));
    test.directory.delete('a', 0);
    test = test.restart();
    expect(test.directory.previousBrokerEpoch).toBe(1);
  });

  it('F24: notices a log that ends before where a clean stop left it, and leaves no marker of its own', () => {
    let test = openTestDirectory();
    for (let round = 0; round < 3; round += 1) test.append(test.log(), testBatch({ count: 2 }));
    test.close();
    test.files.tamper('/logs/seats-0/00000000000000000000.log', (bytes) => bytes.subarray(0, 200));
    test = openTestDirectory({ files: test.files });
    expect([...test.directory.shortened]).toEqual(['seats-0']);
    expect(test.log().logEndOffset).toBe(4);
    test.close();
    test = openTestDirectory({ files: test.files });
    expect([test.directory.cleanStart, test.directory.shortened.size]).toEqual([false, 0]);
  });

  it('F11: is held by one at a time, and free after a crash', () => {
    const test = openTestDirectory();
    expect(() => openTestDirectory({ files: test.files })).toThrow(
      expect.objectContaining({
        code: 'LOG_DIRECTORY_LOCKED',
        message: expect.stringContaining('/logs is in use'),
      }),
    );
    test.crash('process').restart().close();
  });

  it.each([
    ['cluster', { clusterId: 'YW5vdGhlci1jbHVzdGVyLQ' }, 'belongs to cluster.id MkU3OEVBNTcwNTJENDM2Qk'],
    ['node', { nodeId: 2 }, 'belongs to node.id 1'],
  ])('F12: of another %s refuses to start and changes nothing', (_, changes, message) => {
    const test = openTestDirectory();
    test.append(test.log(), testBatch());
    test.close();
    const before = snapshotOf(test.files);
    expect(() => openTestDirectory({ files: test.files, ...changes })).toThrow(
      expect.objectContaining({ code: 'LOG_DIRECTORY_FOREIGN', message: expect.stringContaining(message) }),
    );
    expect(snapshotOf(test.files)).toEqual(before);
    expect(openTestDirectory({ files: test.files }).directory.cleanStart).toBe(true);
  });

  it('F12: with a meta.properties that says nothing refuses to start', () => {
    const test = openTestDirectory();
    test.close();
    test.files.tamper('/logs/meta.properties', () => new TextEncoder().encode('version=1\n'));
    expect(() => openTestDirectory({ files: test.files })).toThrow(
      /does not name a cluster.id and a node.id/,
    );
  });

  it('keeps a meta.properties that Kafka wrote, and its directory.id', () => {
    const files = new MemoryFileSystem({ random: new SeededRandom(1) });
    files.makeDirectory('/logs');
    const kafkas =
      '#\n#Sun Nov 29 20:00:00 UTC 2026\ncluster.id=MkU3OEVBNTcwNTJENDM2Qk\nversion=1\ndirectory.id=abcdefghijklmnopqrstuw\nnode.id=1\n';
    files.tamper('/logs/meta.properties', () => new TextEncoder().encode(kafkas));
    const test = openTestDirectory({ files });
    expect(test.directory.directoryId).toBe('abcdefghijklmnopqrstuw');
    expect(textOf(test, 'meta.properties')).toBe(kafkas);
  });
});

describe('partitions', () => {
  it('F46: are made and deleted under every legal name, and under no other', () => {
    const test = openTestDirectory();
    for (const topic of ['...', 'a.b', '-', 'x'.repeat(249), 'seats-1']) {
      test.append(test.log(topic), testBatch());
      test.directory.delete(topic, 0);
      expect(test.directory.get(topic, 0)).toBeUndefined();
    }
    for (const topic of ['..', 'a/b', '']) {
      const code = expect.objectContaining({ code: 'PARTITION_NAME_INVALID', kafkaErrorCode: 17 });
      expect(() => test.log(topic)).toThrow(code);
      expect(() => test.directory.delete(topic, 0)).toThrow(code);
    }
    expect(test.files.readDirectory('/').map((entry) => entry.name)).toEqual(['logs']);
  });

  it('are gone at once when deleted, and from the disk later; the name is free for another', () => {
    const test = openTestDirectory({ config: { fileDeleteDelayMs: 1000 } });
    const log = test.log();
    test.append(log, testBatch({ count: 9 }));
    const outcomes: (string | undefined)[] = [];
    log.append(testBatch(), 0, (error) => outcomes.push(error?.code));
    test.directory.delete('seats', 0);
    expect(outcomes).toEqual(['LOG_CLOSED']);
    test.turns.endAll();
    expect(test.log().logEndOffset).toBe(0);
    const directories = (): string[] =>
      test.files
        .readDirectory('/logs')
        .map((entry) => entry.name)
        .filter((name) => name.startsWith('seats'));
    expect(directories()).toEqual(['seats-0', expect.stringMatching(/^seats-0\.[0-9a-f]{32}-delete$/)]);
    test.clock.advance(1000);
    expect(directories()).toEqual(['seats-0']);
    expect(test.failures, 'that it was removed is no failure').toEqual([]);
  });

  it('F13: deleted ones that a crash spared are removed by the next start, stray and unknown ones kept', () => {
    let test = openTestDirectory();
    test.append(test.log('gone'), testBatch());
    test.append(test.log('stray'), testBatch());
    test.directory.delete('gone', 0);
    test.directory.moveAside('stray', 0);
    test.files.makeDirectory('/logs/photos');
    test = test.crash('process');
    test.clock.advance(0);
    const names = test.files.readDirectory('/logs').filter((entry) => entry.kind === 'directory');
    expect(names.map((entry) => entry.name)).toEqual([
      'photos',
      expect.stringMatching(/^stray-0\.[0-9a-f]{32}-stray$/),
    ]);
    expect(test.events.filter((event) => event.level === 'warn')).toHaveLength(2);
    expect([...test.directory.partitions()]).toEqual([]);
  });

  it('exist once', () => {
    const test = openTestDirectory();
    const { config } = test;
    test.log();
    expect(() => test.directory.create('seats', 0, { topicId: null, config })).toThrow(
      expect.objectContaining({ code: 'PARTITION_EXISTS' }),
    );
  });

  it('tell the topic’s id they were made for', () => {
    let test = openTestDirectory();
    test.directory.create('seats', 0, { topicId: ID, config: test.config });
    expect(test.log().topicId).toBe(ID);
    test = test.restart({ load: false });
    expect(test.directory.notLoaded()).toEqual([{ topic: 'seats', partition: 0, topicId: ID }]);
    test.files.tamper('/logs/seats-0/partition.metadata', () =>
      new TextEncoder().encode('version: 0\ntopic_'),
    );
    test = test.restart({ load: false });
    expect(test.directory.notLoaded()).toEqual([{ topic: 'seats', partition: 0, topicId: null }]);
  });

  it('leave no timers behind when the directory closes', () => {
    const test = openTestDirectory({ config: { segmentBytes: 150, flushMs: 1000 } });
    for (let round = 0; round < 4; round += 1) test.append(test.log(), testBatch());
    test.log().updateHighWatermark(4);
    test.log().deleteRecordsBefore(2);
    test.append(test.log('other'), testBatch());
    test.directory.delete('other', 0);
    test.close();
    expect(test.clock.pending).toBe(0);
  });
});

/** Every file with its contents. */
function snapshotOf(files: MemoryFileSystem, directory = '/logs'): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, kind } of files.readDirectory(directory)) {
    const path = `${directory}/${name}`;
    if (kind === 'directory') Object.assign(found, snapshotOf(files, path));
    else found[path] = Buffer.from(files.readFile(path)).toString('hex');
  }
  return found;
}
