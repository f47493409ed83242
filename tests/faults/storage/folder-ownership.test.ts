/** Whose folder it is: another process's, another cluster's, another node's. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@seatlog/local-stack';
import { describe, expect, it } from 'vitest';
import { AckedJournal } from './acked-journal.ts';
import { BrokerOnDisk, runBroker } from './broker-on-disk.ts';

const TOPIC = 'seats';
const RECORDS = 20;

async function written() {
  const broker = await BrokerOnDisk.start();
  await broker.createTopic(TOPIC, 1);
  const journal = new AckedJournal(broker.client, TOPIC);
  expect(await journal.write(RECORDS)).toBe(true);
  return { broker, journal };
}

/** Names and contents of everything in the folder. */
function hashOf(folder: string): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }).sort(byPath)) {
    const path = join(entry.parentPath, entry.name);
    hash.update(`${path}\0`);
    if (entry.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

function byPath(a: { parentPath: string; name: string }, b: { parentPath: string; name: string }): number {
  return join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1;
}

describe('F11: two processes on one folder', () => {
  it('the second ends at once and says why, and the first serves on', async () => {
    const { broker, journal } = await written();
    const [kafka, controller] = [await freePort(), await freePort()];
    const second = join(broker.folder, 'second.properties');
    const listeners = `PLAINTEXT://127.0.0.1:${kafka},CONTROLLER://127.0.0.1:${controller}`;
    writeFileSync(
      second,
      readFileSync(broker.propertiesFile, 'utf8')
        .replace(/^listeners=.*$/m, `listeners=${listeners}`)
        .replace(/^advertised\.listeners=.*$/m, `advertised.listeners=PLAINTEXT://127.0.0.1:${kafka}`)
        .replace(/^seatlog\.http\.listener=.*$/m, ''),
    );
    const { code, said } = await runBroker(second);
    expect(code).toBe(1);
    expect(said).toContain(`${broker.logDirectory} is in use`);
    expect(await journal.write(RECORDS)).toBe(true);
    expect(await journal.complaints()).toEqual([]);
  });

  it('a stale lock does no harm', async () => {
    const { broker, journal } = await written();
    await broker.crash();
    writeFileSync(join(broker.logDirectory, '.lock'), 'process 4711 of last year');
    await broker.startAgain();
    expect(await journal.complaints()).toEqual([]);
  });
});

describe('F12: a folder of another', () => {
  it.each([
    ['cluster', /^cluster\.id=.*$/m, 'cluster.id=BBBBBBBBBBBBBBBBBBBBBA'],
    ['node', /^node\.id=.*$/m, 'node.id=9'],
  ])('%s is refused and unchanged', async (_, line, another) => {
    const { broker, journal } = await written();
    await broker.server.stop();
    const path = join(broker.logDirectory, 'meta.properties');
    const own = readFileSync(path, 'utf8');
    const ownCluster = /^cluster\.id=.*$/m.exec(own)?.[0];
    writeFileSync(broker.propertiesFile, `${readFileSync(broker.propertiesFile, 'utf8')}${ownCluster}\n`);
    writeFileSync(path, own.replace(line, another));
    const before = hashOf(broker.logDirectory);

    const { code, said } = await runBroker(broker.propertiesFile);
    expect(code).toBe(1);
    expect(said).toContain(`belongs to ${another.replace('=', ' ')}`);
    expect(hashOf(broker.logDirectory)).toBe(before);

    writeFileSync(path, own);
    await broker.startAgain();
    expect(await journal.complaints()).toEqual([]);
  });
});
