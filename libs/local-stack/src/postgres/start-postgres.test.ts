import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandLineOf, processStartTime } from '../process-identity.ts';
import { startSleeper } from '../testing/sleeper.ts';
import { folderOfTest } from '../testing/temporary-folder.ts';
import { wipeDataDirectory } from '../wipe-data-directory.ts';
import { removeAbandonedClusters } from './outlying-clusters.ts';
import { query, startPostgres } from './start-postgres.ts';
import { ownedFolder, userForPostgres } from './unprivileged-user.ts';

/** The process of a server that has this title. */
function childOf(server: number, title: string): number {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => parentOf(pid) === server && commandLineOf(pid).includes(title));
  if (found === undefined) throw new Error(`server ${server} has no ${title}`);
  return found;
}

/** -1 where it has ended meanwhile. */
function parentOf(pid: number): number {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return Number(rest.split(' ')[1]);
  } catch {
    return -1;
  }
}

/** A stopped one as well; one that has ended has ended. */
function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

describe('startPostgres', () => {
  it('serves a database of the wanted name and keeps data over stop, kill and start', async () => {
    const folder = folderOfTest();
    const options = { dataDirectory: folder.path, database: 'tickets' };
    const first = await startPostgres(options);
    await query(first.url, 'CREATE TABLE seats AS SELECT 7 AS number');
    await first.process.restart();
    await query(first.url, 'INSERT INTO seats VALUES (8)');
    first.process.kill('SIGKILL');
    await first.process.exited;

    const second = await startPostgres(options);
    onTestFinished(() => second.stop());
    const { rows } = await query(second.url, 'SELECT number FROM seats ORDER BY number');
    expect(rows).toEqual([{ number: 7 }, { number: 8 }]);
    const pid = second.process.pid;
    await second.stop();
    expect(processStartTime(pid)).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')(
    'starts once the children of a killed server have ended as well',
    async () => {
      const dataDirectory = folderOfTest().path;
      const killed = await startPostgres({ dataDirectory, durable: false });
      const checkpointer = childOf(killed.process.pid, 'checkpointer');
      process.kill(checkpointer, 'SIGSTOP');
      onTestFinished(() => end(checkpointer));
      killed.process.kill('SIGKILL');
      await killed.process.exited;
      const starting = startPostgres({ dataDirectory, durable: false });
      await expect.poll(() => readFileSync(killed.process.logFile, 'utf8')).toContain('shared memory block');
      end(checkpointer);
      const next = await starting;
      onTestFinished(() => next.stop());
      expect((await query(next.url, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    },
  );

  it('syncs unless durability is given up, and listens on loopback alone', async () => {
    const folder = folderOfTest();
    const setting = async (url: string, name: string): Promise<unknown> =>
      (await query(url, 'SELECT current_setting($1) AS value', [name])).rows[0]?.['value'];
    const server = await startPostgres({ dataDirectory: folder.path });
    expect(await setting(server.url, 'fsync')).toBe('on');
    expect(await setting(server.url, 'synchronous_commit')).toBe('on');
    expect(await setting(server.url, 'listen_addresses')).toBe('127.0.0.1');
    await server.stop();
    const fast = await startPostgres({ dataDirectory: folder.path, durable: false });
    onTestFinished(() => fast.stop());
    expect(await setting(fast.url, 'fsync')).toBe('off');
  });

  it('does not take another process for its leftover when the pid was used again', async () => {
    const folder = folderOfTest();
    const dataDirectory = folder.path;
    const server = await startPostgres({ dataDirectory, durable: false });
    const file = join(dataDirectory, 'postgres/postmaster.pid');
    const content = readFileSync(file, 'utf8');
    await server.stop();
    const stranger = await startSleeper(dataDirectory, { name: 'stranger' });
    writeFileSync(file, content.replace(/^\d+/, String(stranger.pid)));
    const again = await startPostgres({ dataDirectory, durable: false });
    onTestFinished(() => again.stop());
    expect(again.process.running).toBe(true);
    expect(stranger.running).toBe(true);
    await stranger.stop();
  });

  it('refuses a port that is taken', async () => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const dataDirectory = folderOfTest().path;
    await expect(startPostgres({ dataDirectory, port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });

  it.runIf(process.getuid?.() === 0)(
    'puts the data elsewhere when its user cannot get to the folder',
    async () => {
      const folder = folderOfTest();
      const dataDirectory = join(folder.path, 'closed', 'data');
      mkdirSync(dataDirectory, { recursive: true });
      chmodSync(join(folder.path, 'closed'), 0o700);
      const cluster = ownedFolder(userForPostgres(), join(dataDirectory, 'postgres'));
      expect(cluster).toMatch(/^\/var\/tmp\/seatlog-postgres-data-/);
      const server = await startPostgres({ dataDirectory, durable: false });
      expect((await query(server.url, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await server.stop();
      expect(readFileSync(join(cluster, 'PG_VERSION'), 'utf8')).toBe('18\n');
      wipeDataDirectory(dataDirectory);
      expect(() => readFileSync(join(cluster, 'PG_VERSION'))).toThrow('ENOENT');
      expect(existsSync(`${cluster}.for`)).toBe(false);
    },
  );

  it.runIf(process.getuid?.() === 0)(
    'removes what lies elsewhere once the folder that it belongs to is gone, when another server starts',
    async () => {
      const folder = folderOfTest();
      const closed = join(folder.path, 'closed');
      mkdirSync(closed);
      chmodSync(closed, 0o700);
      const dataDirectory = join(closed, 'data');
      const server = await startPostgres({ dataDirectory, durable: false });
      const cluster = ownedFolder(userForPostgres(), join(dataDirectory, 'postgres'));
      // Its owner is gone, and so is its folder; the server runs on.
      rmSync(dataDirectory, { recursive: true });
      await removeAbandonedClusters();
      expect(existsSync(cluster)).toBe(false);
      expect(existsSync(`${cluster}.for`)).toBe(false);
      await server.process.exited;
    },
  );
});
