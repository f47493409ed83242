import { describe, expect, it } from 'vitest';
import { hex, toHex } from '../testing/hex.ts';
import { batchIsControl, batchIsTransactional, batchProducerId } from './batch-header.ts';
import { batchCrcMatches } from './batch-scan.ts';
import {
  ControlType,
  decodeControlType,
  decodeEndTransactionMarker,
  encodeTransactionMarker,
  leaderChangeMessage,
} from './control-record.ts';
import { decodeRecords } from './record-view.ts';

describe('transaction markers', () => {
  it('are control batches of one record, byte for byte', () => {
    const marker = encodeTransactionMarker({
      outcome: 'commit',
      producerId: 4000,
      producerEpoch: 3,
      coordinatorEpoch: 7,
      timestamp: 1_700_000_000_000,
    });
    expect(toHex(marker)).toBe(
      toHex(
        hex(`
          0000000000000000 00000042 ffffffff 02
          ce4cf28e                             # checksum
          0030 00000000                        # control, transactional
          0000018bcfe56800 0000018bcfe56800
          0000000000000fa0 0003 ffffffff       # producer, no sequence
          00000001
          20 00 00 00                          # 16 bytes
          08 0000 0001                         # key: version 0, commit
          0c 0000 00000007                     # value: version 0, coordinator epoch
          00
        `),
      ),
    );
    expect([batchIsControl(marker), batchIsTransactional(marker), batchCrcMatches(marker)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(batchProducerId(marker)).toBe(4000);
  });

  it('are read back', () => {
    const marker = encodeTransactionMarker({
      outcome: 'abort',
      producerId: 1,
      producerEpoch: 2,
      coordinatorEpoch: 3,
      timestamp: 4,
    });
    const [record] = decodeRecords(marker);
    expect(decodeControlType(record?.key ?? new Uint8Array(0))).toBe(ControlType.abort);
    expect(decodeEndTransactionMarker(record?.value ?? new Uint8Array(0))).toEqual({ coordinatorEpoch: 3 });
  });
});

describe('leader change messages', () => {
  it('list voters and those who granted their vote', () => {
    const bytes = hex('0000 00000002 03 00000001 00 00000002 00 02 00000002 00 00');
    const message = {
      version: 0,
      leaderId: 2,
      voters: [{ voterId: 1 }, { voterId: 2 }],
      grantingVoters: [{ voterId: 2 }],
    };
    expect(toHex(leaderChangeMessage.encode(message, 0))).toBe(toHex(bytes));
    expect(leaderChangeMessage.decode(bytes, 0)).toMatchObject(message);
  });
});
