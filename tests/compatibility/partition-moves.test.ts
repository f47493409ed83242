/** A partition is moved by a client that other people wrote, in a process of its own, in a cluster of three brokers. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cluster, combinedNodes, startCluster } from '@seatlog/local-stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MovedPartition } from './moved-partition.ts';

const RECORDS = 50;
const DEADLINE_MS = 120_000;

let folder: string;
let cluster: Cluster;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'seatlog-moves-'));
  cluster = await startCluster({ dataDirectory: folder, nodes: combinedNodes(3) });
});

afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('kafkajs 2.2.4', () => {
  it('moves a partition to another broker, and reads it there', async () => {
    const script = new URL('./clients/kafkajs-moves.ts', import.meta.url).pathname;
    const told = [script, cluster.bootstrap, 'moved', String(RECORDS)];
    const { stdout } = await promisify(execFile)(process.execPath, told, {
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    const moved = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as MovedPartition;
    expect(moved).toEqual({
      leader: expect.toSatisfy((leader) => [2, 3].includes(leader)),
      replicas: [3, 2],
      values: Array.from({ length: RECORDS }, (_, index) => `record-${index}`),
    });
  });
});
