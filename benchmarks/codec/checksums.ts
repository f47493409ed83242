/** CRC-32C beside a bare loop over one table, and beside the peer that uses such a loop. */
import { crc32c } from '@seatlog/kafka-protocol';
import type { Comparison } from './interleaved.ts';
import { kafkajsCodec } from './peers.ts';

const POLYNOMIAL = 0x82f6_3b78;

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

function bareLoop(bytes: Uint8Array): number {
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) {
    crc = (TABLE[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

export function checksumComparison(size: number): Comparison {
  const bytes = Buffer.alloc(size, 'seats and more seats; ');
  const kafkajs = kafkajsCodec();
  if (bareLoop(bytes) !== crc32c(bytes) || kafkajs.crc32c(bytes) !== crc32c(bytes)) {
    throw new Error('the checksums differ');
  }
  return {
    title: `CRC-32C of ${size} B`,
    unitsPerCall: size / 1e6,
    unit: 'MB/s',
    subjects: [
      { name: 'seatlog', work: () => crc32c(bytes) },
      { name: 'bare loop over a byte table', work: () => bareLoop(bytes) },
      { name: 'kafkajs', work: () => kafkajs.crc32c(bytes) },
    ],
  };
}
