import fc from 'fast-check';
import { expect, it } from 'vitest';
import { knownText } from './known-text.ts';

it('gives the text of the bytes, or leaves it to others', () => {
  const texts = fc.array(
    fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'grapheme', maxLength: 20 })),
  );
  fc.assert(
    fc.property(texts, fc.nat({ max: 5 }), (list, before) => {
      for (const text of list) {
        const bytes = Buffer.from(`${'x'.repeat(before)}${text}y`);
        const known = knownText(bytes, before, bytes.length - 1);
        const isShortAscii = text.length <= 64 && Buffer.byteLength(text) === text.length;
        expect(known).toBe(isShortAscii ? text : null);
      }
    }),
  );
});

it('tells texts apart that share a slot of its table', () => {
  const names = Array.from({ length: 2000 }, (_, index) => `topic-${index}`);
  for (const round of [1, 2]) {
    for (const name of names) {
      const bytes = Uint8Array.from(Buffer.from(`${name}${round}`));
      expect(knownText(bytes, 0, bytes.length - 1)).toBe(name);
    }
  }
});
