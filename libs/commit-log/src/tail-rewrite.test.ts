import { describe, expect, it } from 'vitest';
import { testBatch } from './testing/test-batch.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

/** Two batches that are synced, and one whose sync failed; then the process is gone. */
function afterFailedSync(): TestDirectory {
  const test = openTestDirectory({ config: { flushMessages: 1 } });
  test.append(test.log(), testBatch());
  test.append(test.log(), testBatch());
  test.files.fault = ({ name, path }) =>
    name === 'sync' && path.endsWith('.log') ? { code: 'EIO' } : undefined;
  expect(() => test.append(test.log(), testBatch())).toThrow(/a sync failed/);
  expect(test.log().logEndOffset).toBe(2);
  test.files.fault = () => undefined;
  return test.crash('process');
}

describe('a log whose sync failed', () => {
  it('F8: keeps through a power cut what the next start found of it, and acknowledged by that', () => {
    const test = afterFailedSync();
    expect(test.log().logEndOffset).toBe(3);
    test.append(test.log(), testBatch());
    test.files.crash({ kind: 'power', unsynced: 'lost' });
    const again = openTestDirectory({ files: test.files, config: { flushMessages: 1 } });
    expect([again.log().logEndOffset, again.directory.failures.size]).toEqual([4, 0]);
  });
});

describe('a log that lacks a segment which it had synced', () => {
  const lacking = (config: { readonly cleanupPolicy?: 'compact' }): TestDirectory => {
    const test = openTestDirectory({ config: { segmentBytes: 250, ...config } });
    for (let count = 0; count < 6; count += 1) test.append(test.log(), testBatch());
    const [, middle] = test.log().describeSegments();
    test.close();
    for (const suffix of ['log', 'index', 'timeindex']) {
      test.files.unlink(`/logs/seats-0/${String(middle?.baseOffset).padStart(20, '0')}.${suffix}`);
    }
    return openTestDirectory({ files: test.files, config: test.config });
  };

  it('F3: is not opened, for records of it would be missing and nobody would know', () => {
    const { failures } = lacking({}).directory;
    expect(failures.get('seats-0')).toMatchObject({
      code: 'LOG_CORRUPT',
      message: expect.stringMatching(/^offsets 2 to 3 are missing/),
    });
  });

  it('K8: is opened where compaction may have taken them', () => {
    const test = lacking({ cleanupPolicy: 'compact' });
    expect([test.directory.failures.size, test.log().logEndOffset]).toEqual([0, 6]);
  });
});
