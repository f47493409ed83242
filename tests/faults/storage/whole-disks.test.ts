/** File systems of a test's own: one that fills up, and one whose device is copied as a power cut would leave it. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../until.ts';
import { AckedJournal, TRIED_TWICE } from './acked-journal.ts';
import { BrokerOnDisk, folderOfTest } from './broker-on-disk.ts';
import { missing, mountedImages, mountedMemory } from './fault-tools.ts';

const TOPIC = 'seats';

/** Unmounted when the test ends, after the broker that was started on it. */
function mount(folder: string, ...args: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', [...args, folder]);
  // Lazily: what still closes its files does not keep the folder.
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

describe.skipIf(missing(mountedMemory, 'F7'))('F7: a full disk', () => {
  it('refuses appends, serves reads, and works again once there is room', async () => {
    const disk = mount(join(folderOfTest(), 'disk'), '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, new Uint8Array(4 * 1024 * 1024));
    const logDirectory = join(disk, 'broker-1');
    const broker = await BrokerOnDisk.start({ logDirectory });
    await broker.createTopic(TOPIC, 1, { 'segment.bytes': '4194304' });
    const journal = new AckedJournal(broker.client, TOPIC);
    const { pid } = broker.server.process;

    const fillerBytes = 200_000;
    expect(await journal.write(1000, { fillerBytes, ...TRIED_TWICE })).toBe(false);
    expect(journal.acked.length).toBeGreaterThan(10);
    expect(journal.refusals).toEqual(['KAFKA_STORAGE_ERROR']);
    expect(await journal.complaints()).toEqual([]);

    rmSync(ballast);
    expect(await journal.write(5, { fillerBytes })).toBe(true);
    expect(await journal.complaints()).toEqual([]);
    expect(await broker.isHealthy()).toBe(true);
    expect(broker.server.process.pid).toBe(pid);

    await broker.end('crash');
    await broker.startAgain();
    expect(await journal.complaints()).toEqual([]);
  });
});

const IMAGE_BYTES = 64 * 1024 * 1024;
const RECORDS = 60;

describe.skipIf(missing(mountedImages, 'F2'))('F2: a power cut', () => {
  it('with a flush before each ack loses nothing acked', async () => {
    const folder = folderOfTest();
    const image = join(folder, 'image');
    writeFileSync(image, '');
    truncateSync(image, IMAGE_BYTES);
    execFileSync('mkfs.ext4', ['-q', '-F', image]);
    // Nothing but what is synced goes to the device meanwhile, so that the copy is of one instant.
    const device = mount(join(folder, 'device'), '-o', 'loop,commit=300', image);
    const properties = { 'log.flush.interval.messages': '1' };
    const broker = await BrokerOnDisk.start({ properties, logDirectory: join(device, 'broker-1') });
    await broker.createTopic(TOPIC, 1);
    const journal = new AckedJournal(broker.client, TOPIC);
    const writing = journal.write(10 * RECORDS, { deliveryTimeoutMs: 5000, requestTimeoutMs: 4000 });
    await until('some records acked', () => journal.acked.length >= RECORDS);

    // In the middle of it: held still while the device is copied, and never seen again.
    broker.server.process.kill('SIGSTOP');
    const copy = join(folder, 'copy');
    copyFileSync(image, copy);
    await broker.crash();
    await writing;
    expect(journal.acked.length).toBeLessThan(10 * RECORDS);

    const found = mount(join(folder, 'found'), '-o', 'loop', copy);
    const after = await BrokerOnDisk.start({ properties, logDirectory: join(found, 'broker-1') });
    journal.goOnWith(after.client);
    expect(await journal.complaints()).toEqual([]);
    expect(await journal.write(5)).toBe(true);
    expect(await journal.complaints()).toEqual([]);
  });
});
