/**
 * Uuids made from the Random port: random (version 4), in Kafka's 22-character base64 form.
 *
 * Kafka's tools read an id that begins with a dash as an option, so none is made.
 */
import { uuidFromBytes } from '@seatlog/kafka-protocol';
import type { Random } from '@seatlog/runtime';

export function randomUuid(random: Random): string {
  for (;;) {
    const bytes = random.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const id = uuidFromBytes(bytes);
    if (!id.startsWith('-')) return id;
  }
}
