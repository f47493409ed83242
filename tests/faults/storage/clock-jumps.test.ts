/** A broker whose wall clock jumps while it runs; what counts elapsed time in it does not jump, as on a real machine. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../until.ts';
import { AckedJournal } from './acked-journal.ts';
import { BrokerOnDisk } from './broker-on-disk.ts';
import { fakedTime, missing } from './fault-tools.ts';
import { startWith } from './tracer.ts';

const TOPIC = 'seats';
const HOUR_MS = 3_600_000;
const CHECK_MS = 100;
const CHECKS = 10;

/** The jump is by the file's contents, from one reading of the clock to the next. */
function clockFrom(file: string): Readonly<Record<string, string>> {
  const library = execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' });
  return {
    LD_PRELOAD: library.trim(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

describe.skipIf(missing(fakedTime, 'F14'))('F14: the clock jumps', () => {
  it.each([
    ['ahead', '+3h', 3],
    ['back', '-3h', -3],
  ])('%s: retention spares data, and all goes on', async (_, jump, hours) => {
    const properties = { 'log.retention.check.interval.ms': String(CHECK_MS) };
    const broker = await BrokerOnDisk.start({ properties });
    // The broker's own clock stamps the records; each is to be kept for an hour.
    const stamped = { 'message.timestamp.type': 'LogAppendTime', 'retention.ms': String(HOUR_MS) };
    await broker.createTopic(TOPIC, 2, stamped);
    await broker.server.stop();
    const clock = join(broker.folder, 'clock');
    writeFileSync(clock, '+0\n');
    await startWith(broker, clockFrom(clock));
    const journal = new AckedJournal(broker.client, TOPIC);
    expect(await journal.write(40)).toBe(true);
    expect(broker.files(TOPIC, 0, '.log').length).toBeGreaterThan(2);

    writeFileSync(clock, `${jump}\n`);
    const producer = broker.client.producer();
    await until('the jump', async () => {
      const { timestamp } = await producer.send({ topic: TOPIC, partition: 1, value: 'what time is it' });
      return Math.abs(timestamp - Date.now() - hours * HOUR_MS) < HOUR_MS;
    });
    // Nothing tells that nothing was deleted but the time in which it might have been.
    await pause(CHECKS * CHECK_MS);
    expect(await journal.complaints()).toEqual([]);
    expect(await journal.write(10)).toBe(true);
    expect(await journal.complaints()).toEqual([]);
    expect(await broker.isHealthy()).toBe(true);
  });
});
