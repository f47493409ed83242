/**
 * One round: each way to start, and each state whose memory is of interest, once, one after another. The killed broker is
 * killed right after its load, so all of its one segment lies behind no recovery point and has to be checked.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { bareLoop, spentOn } from '../log/start-comparison.ts';
import { loadBareServer, loadBroker, makePartitions, startBareServer } from './produce-load.ts';
import { type ReadyProcess, startBareNode, startBrokerUntilReady } from './ready-process.ts';
import { mostResidentBytes, residentBytes } from './resident-memory.ts';

export const PARTITIONS = 1000;
/** Under Kafka's default segment size, so that it is one segment. */
export const LARGE_BYTES = 1_000_000_000;
/** Memory is read once a process has come to rest. */
const REST_MS = 1500;

export interface StartTime {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export type Started = 'bareNode' | 'empty' | 'partitions' | 'largeStopped' | 'largeKilled' | 'bareLoop';
export type Resident =
  | 'bareNode'
  | 'idle'
  | 'partitions'
  | 'largeStopped'
  | 'largeKilled'
  | 'bareServerUnderLoad'
  | 'underLoad'
  | 'afterLoad';

export interface Footprint {
  readonly start: Readonly<Record<Started, StartTime>>;
  /** Bytes. */
  readonly resident: Readonly<Record<Resident, number>>;
}

/** `directory/partitions` must have been made by `preparePartitions`. */
export async function measureRound(directory: string): Promise<Footprint> {
  const bareNode = await startAndStop(startBareNode);
  const partitions = await startAndStop(() => startBrokerUntilReady(`${directory}/partitions`, 'stopped'));
  const bareServerUnderLoad = await measureBareServer(directory);
  const large = `${directory}/large`;
  try {
    const loaded = await measureLoad(large);
    const killed = await startAndStop(() => startBrokerUntilReady(large, 'killed'));
    const loop = spentOn(() => bareLoop(`${large}/log/${loaded.topic}-0/${'0'.repeat(20)}.log`));
    const stopped = await startAndStop(() => startBrokerUntilReady(large, 'stopped'));
    return {
      start: {
        bareNode: bareNode.start,
        empty: loaded.start,
        partitions: partitions.start,
        largeStopped: stopped.start,
        largeKilled: killed.start,
        bareLoop: { wallMs: loop.wall, cpuMs: loop.cpu },
      },
      resident: {
        bareNode: bareNode.resident,
        idle: loaded.idle,
        partitions: partitions.resident,
        bareServerUnderLoad,
        underLoad: loaded.underLoad,
        afterLoad: loaded.afterLoad,
        largeStopped: stopped.resident,
        largeKilled: killed.resident,
      },
    };
  } finally {
    rmSync(large, { recursive: true, force: true });
  }
}

/** Restarted once, so that all rounds find alike what a restart leaves: each one begins a leader epoch in every partition. */
export async function preparePartitions(directory: string): Promise<void> {
  const path = `${directory}/partitions`;
  const broker = await startBrokerUntilReady(path, 'empty');
  try {
    await makePartitions(broker.port, PARTITIONS);
  } finally {
    await broker.stop();
  }
  const again = await startBrokerUntilReady(path, 'stopped');
  await again.stop();
}

async function startAndStop(start: () => Promise<ReadyProcess>) {
  const child = await start();
  try {
    await delay(REST_MS);
    return { start: startTime(child), resident: residentBytes(child.processId) };
  } finally {
    await child.stop();
  }
}

/** Starts on an empty directory, loads, and ends as a crash would. */
async function measureLoad(directory: string) {
  const broker = await startBrokerUntilReady(directory, 'empty');
  try {
    await delay(REST_MS);
    const idle = residentBytes(broker.processId);
    let topic = '';
    const underLoad = await mostResidentBytes(broker.processId, async () => {
      topic = await loadBroker(broker.port, LARGE_BYTES);
    });
    await delay(REST_MS);
    return { start: startTime(broker), topic, idle, underLoad, afterLoad: residentBytes(broker.processId) };
  } finally {
    await broker.kill();
  }
}

async function measureBareServer(directory: string): Promise<number> {
  const server = await startBareServer(directory);
  try {
    return await mostResidentBytes(server.processId, () => loadBareServer(server.port, LARGE_BYTES));
  } finally {
    await server.stop();
  }
}

function startTime({ readyMs, cpuMs }: ReadyProcess): StartTime {
  return { wallMs: readyMs, cpuMs };
}
