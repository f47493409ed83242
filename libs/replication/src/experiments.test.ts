/**
 * The experiments that anyone can repeat on a real cluster, here on virtual time. Each is a text of commands and what
 * came of them; `vitest run -u` writes it anew, and the difference is to be read.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Transcript } from './testing/transcript.ts';

const transcripts = path.join(import.meta.dirname, 'transcripts');

it.each([
  [
    'R8, R11, R15, R18: a stopped follower holds the high watermark until it has left the ISR',
    'stopped-follower',
  ],
  ['R8, R14, R17: acks=all is refused below the minimum ISR, before anything is written', 'minimum-isr'],
  ['R20 to R24: records of acks=1 that only a killed leader had are cut off when it returns', 'lost-records'],
  [
    'R11, R20: a leader that is alone in its ISR when it dies is the only one that may lead',
    'lost-records-too-slow',
  ],
])('%s', async (_rule, name) => {
  const file = path.join(transcripts, `${name}.txt`);
  await expect(Transcript.run(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
});
