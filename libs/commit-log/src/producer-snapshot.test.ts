import { crc32c } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { decodeProducerSnapshot, encodeProducerSnapshot } from './producer-snapshot.ts';
import type { ProducerStateEntry } from './producer-state-entry.ts';

const ENTRY: ProducerStateEntry = {
  producerId: 4711,
  producerEpoch: 3,
  batches: [{ lastSequence: 9, lastOffset: 1009, offsetDelta: 4, timestamp: 1_700_000_000_000 }],
  coordinatorEpoch: -1,
  lastTimestamp: 1_700_000_000_000,
  currentTransactionFirstOffset: -1,
};

/** producerId, epoch, lastSequence, lastOffset, offsetDelta, timestamp, coordinatorEpoch, currentTxnFirstOffset */
const ENTRY_BYTES =
  '0000000000001267' +
  '0003' +
  '00000009' +
  '00000000000003f1' +
  '00000004' +
  '0000018bcfe56800' +
  'ffffffff' +
  'f'.repeat(16);

describe('a producer snapshot', () => {
  it('K2: is version 1, the CRC-32C of the rest, a count, and entries of 46 bytes', () => {
    const body = Buffer.from(`00000001${ENTRY_BYTES}`, 'hex');
    const head = Buffer.alloc(6);
    head.writeInt16BE(1, 0);
    head.writeUInt32BE(crc32c(body), 2);
    expect(Buffer.from(encodeProducerSnapshot([ENTRY])).toString('hex')).toBe(
      Buffer.concat([head, body]).toString('hex'),
    );
  });

  it('of nobody is ten bytes', () => {
    expect(Buffer.from(encodeProducerSnapshot([])).toString('hex')).toBe('000148674bc700000000');
  });

  it('gives back each of the last batches, which for Kafka are entries of which the last counts', () => {
    const batches = [0, 1, 2, 3, 4].map((place) => ({
      lastSequence: place * 5 + 4,
      lastOffset: 1000 + place * 5 + 4,
      offsetDelta: 4,
      timestamp: 1_700_000_000_000 + place,
    }));
    const entry = { ...ENTRY, batches, lastTimestamp: 1_700_000_000_004 };
    const other = { ...ENTRY, producerId: 5, currentTransactionFirstOffset: 77, coordinatorEpoch: 2 };
    const decoded = decodeProducerSnapshot(encodeProducerSnapshot([entry, other]));
    expect(decoded).toEqual(
      new Map([
        [4711, entry],
        [5, other],
      ]),
    );
  });

  it('keeps a producer of which only the end of a transaction is known', () => {
    const entry: ProducerStateEntry = { ...ENTRY, batches: [], coordinatorEpoch: 8 };
    expect(decodeProducerSnapshot(encodeProducerSnapshot([entry]))?.get(4711)).toEqual(entry);
  });

  it('F6: counts as none when any byte of it is another, or missing', () => {
    const bytes = encodeProducerSnapshot([ENTRY]);
    for (let place = 0; place < bytes.length; place += 1) {
      const damaged = bytes.slice();
      damaged[place] = (damaged[place] ?? 0) ^ 0x10;
      expect(decodeProducerSnapshot(damaged), `byte ${place}`).toBeNull();
      expect(decodeProducerSnapshot(bytes.slice(0, place)), `cut at ${place}`).toBeNull();
    }
  });
});
