/** The broker as a process: its exit codes, its end with its parent, its limits. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { apis } from '@seatlog/kafka-protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WireClient } from './testing/wire-client.ts';

const MAIN = new URL('./main.ts', import.meta.url).pathname;
const DEADLINE_MS = 60_000;
/** Compiled code of earlier starts, where there is some, spares a good part of each start. */
const ENVIRONMENT = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

interface BrokerProcess {
  readonly child: ChildProcess;
  readonly lines: LogLine[];
  readonly port: number;
  readonly exited: Promise<number | null>;
}

let directory: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  directory = mkdtempSync(`${tmpdir()}/seatlog-main-`);
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function settings(name: string): string[] {
  return ['--override', `log.dir=${directory}/${name}`, '--override', 'listeners=PLAINTEXT://127.0.0.1:0'];
}

/** One voter of three, of which nothing listens at the other two. */
const ofThree = [
  'controller.quorum.voters=1@127.0.0.1:1,2@127.0.0.1:2,3@127.0.0.1:3',
  'controller.listener.names=CONTROLLER',
  'listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0',
].flatMap((setting) => ['--override', setting]);

/** Starts a process that prints the broker's log, and waits until the broker serves. */
async function start(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<BrokerProcess> {
  const [program = process.execPath, ...rest] = command;
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...ENVIRONMENT, ...environment },
  });
  children.push(child);
  const lines: LogLine[] = [];
  // Once all that it said has been read as well.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not started:\n${JSON.stringify(lines)}`)), DEADLINE_MS);
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as LogLine;
      lines.push(line);
      if (line.msg !== 'Broker started') return;
      clearTimeout(timer);
      const [listener] = line['listeners'] as string[];
      resolve(Number(listener?.split(':').at(-1)));
    });
    void exited.then((code) => reject(new Error(`exited with ${code}:\n${JSON.stringify(lines)}`)));
  });
  return { child, lines, port, exited };
}

/** Part of util-linux: found on every Linux but the smallest images. */
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

async function answersLateComer(port: number): Promise<boolean> {
  await using client = await WireClient.open(port);
  return (await client.ask(apis.apiVersions, 0, {})).errorCode === 0;
}

const messages = ({ lines }: BrokerProcess): string[] => lines.map(({ msg }) => msg);

describe('the command', () => {
  it('stops in order on SIGTERM with exit code 0, and starts cleanly after', async () => {
    const first = await start([process.execPath, MAIN, ...settings('ordered')]);
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(messages(first)).toContain('Broker stopped');
    expect(existsSync(`${directory}/ordered/.kafka_cleanshutdown`)).toBe(true);
    const second = await start([process.execPath, MAIN, ...settings('ordered')]);
    expect(second.lines.find(({ msg }) => msg === 'Broker started')).toMatchObject({ cleanStart: true });
  });

  it('takes its settings from a file, the environment and overrides, and warns of a misspelt one', async () => {
    const file = `${directory}/server.properties`;
    writeFileSync(file, 'node.id=7\nnum.partition=3\nlog.dir=/nowhere\n');
    const broker = await start([process.execPath, MAIN, '--config', file, ...settings('sources')], {
      KAFKA_NODE_ID: '8',
      KAFKA_HEAP_OPTS: '-Xmx1G',
    });
    expect(broker.lines[0]).toMatchObject({
      level: 'warn',
      msg: 'Unknown config num.partition is ignored. The nearest known name is num.partitions.',
    });
    expect(broker.lines.find(({ msg }) => msg === 'Broker started')).toMatchObject({ nodeId: 8 });
  });

  it.each([
    [['--override', 'num.partitions=none'], "num.partitions: 'none' is not a whole number"],
    [['--config', '/no/such/file'], '/no/such/file'],
    [['--wrong'], 'unknown argument --wrong'],
  ])('says what is wrong with %j and exits with 2', (given, message) => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...given], {
      encoding: 'utf8',
      env: ENVIRONMENT,
      timeout: DEADLINE_MS,
    });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  it('says that a fresh node of several needs the id of its cluster, and exits with 2', () => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...settings('one-of-three'), ...ofThree], {
      encoding: 'utf8',
      env: ENVIRONMENT,
      timeout: DEADLINE_MS,
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^cluster\.id: /);
  });

  it('gives up a start that waits for a majority when asked to stop, with exit code 0', async () => {
    const given = [...settings('minority'), ...ofThree, '--override', 'cluster.id=wlRg8jBZQhqo0Y-qbWmJZA'];
    const child = spawn(process.execPath, [MAIN, ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: ENVIRONMENT,
    });
    children.push(child);
    const exited = once(child, 'exit');
    // It says so when it has looked for the other voters.
    await once(createInterface({ input: child.stdout }), 'line');
    child.kill('SIGTERM');
    expect((await exited)[0]).toBe(0);
  });

  it('F11: exits at once with a clear message when the log directory is in use; a stale lock does no harm', async () => {
    const first = await start([process.execPath, MAIN, ...settings('shared')]);
    const second = spawnSync(process.execPath, [MAIN, ...settings('shared')], {
      encoding: 'utf8',
      env: ENVIRONMENT,
      timeout: DEADLINE_MS,
    });
    expect(second.status).toBe(1);
    expect(second.stdout).toContain('LOG_DIRECTORY_LOCKED');
    first.child.kill('SIGKILL');
    await first.exited;
    await start([process.execPath, MAIN, ...settings('shared')]);
  });

  it('stops by itself when its parent is gone', async () => {
    const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    children.push(parent);
    const broker = await start([process.execPath, MAIN, ...settings('orphan')], {
      SEATLOG_PARENT_PID: String(parent.pid),
    });
    parent.kill('SIGKILL');
    expect(await broker.exited).toBe(0);
    expect(messages(broker)).toContain('Broker stopped');
  });

  it.skipIf(!hasPrlimit)(
    'F10: with descriptors used up refuses connections, serves those it has, and recovers',
    async () => {
      const limited = ['prlimit', '--nofile=96:96', process.execPath, MAIN, ...settings('limited')];
      const broker = await start(limited);
      const clients: WireClient[] = [];
      for (let index = 0; index < 120; index += 1) clients.push(await WireClient.open(broker.port));
      const served = clients[0];
      expect((await served?.ask(apis.apiVersions, 0, {}))?.errorCode).toBe(0);
      await Promise.all(clients.slice(60).map((client) => client.closed()));
      for (const client of clients.slice(1)) client.socket.destroy();
      const deadline = performance.now() + DEADLINE_MS;
      let isServed = false;
      while (!isServed && performance.now() < deadline) {
        isServed = await answersLateComer(broker.port).catch(() => false);
      }
      expect(isServed).toBe(true);
      served?.socket.destroy();
    },
  );
});
