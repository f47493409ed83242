import { describe, expect, it } from 'vitest';
import { batchCrc, batchIsControl, batchProducerId, computeBatchCrc } from '@seatlog/kafka-protocol';
import type { QuorumControlRecord } from './control-records.ts';
import { decodeMetadataBatches, encodeControlBatch, encodeMetadataBatch } from './metadata-batch.ts';
import type { MetadataRecord } from './metadata-record.ts';

const stamp = { baseOffset: 7, epoch: 3, timestamp: 1_700_000_000_000 };

describe('metadata batches', () => {
  it('gives back records, offsets, epoch and time', () => {
    const records: readonly MetadataRecord[] = [
      { type: 'FeatureLevelRecord', name: 'metadata.version', featureLevel: 29 },
      { type: 'NoOpRecord' },
    ];
    const batch = encodeMetadataBatch(records, stamp);
    expect(batchCrc(batch)).toBe(computeBatchCrc(batch));
    expect(batchProducerId(batch)).toBe(-1);
    expect(decodeMetadataBatches(batch)).toEqual([
      { kind: 'metadata', baseOffset: 7, lastOffset: 8, epoch: 3, timestamp: stamp.timestamp, records },
    ]);
  });

  it.each<QuorumControlRecord>([
    { type: 'LeaderChange', leaderId: 1, voters: [1, 2, 3], grantingVoters: [1, 3] },
    { type: 'SnapshotHeader', lastContainedLogTimestamp: 1_700_000_000_000 },
    { type: 'SnapshotFooter' },
    { type: 'KraftVersion', kraftVersion: 1 },
    {
      type: 'KraftVoters',
      voters: [
        {
          voterId: 1,
          voterDirectoryId: 'AAECAwQFBgcICQoLDA0ODw',
          endpoints: [{ name: 'CONTROLLER', host: 'localhost', port: 9093 }],
          kRaftVersionFeature: { minSupportedVersion: 0, maxSupportedVersion: 1 },
        },
      ],
    },
  ])('gives back control record $type', (record) => {
    const batch = encodeControlBatch([record], stamp);
    expect(batchIsControl(batch)).toBe(true);
    expect(decodeMetadataBatches(batch)).toMatchObject([
      { kind: 'control', baseOffset: 7, records: [record] },
    ]);
  });

  it('reads one batch after the other, and leaves a torn one out', () => {
    const first = encodeMetadataBatch([{ type: 'NoOpRecord' }], stamp);
    const second = encodeMetadataBatch([{ type: 'NoOpRecord' }], { ...stamp, baseOffset: 8 });
    const all = Buffer.concat([first, second]);
    expect(decodeMetadataBatches(all).map((batch) => batch.baseOffset)).toEqual([7, 8]);
    expect(decodeMetadataBatches(all.subarray(0, all.length - 1)).map((batch) => batch.baseOffset)).toEqual([
      7,
    ]);
  });
});
