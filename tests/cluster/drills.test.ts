/**
 * Drills of CI. `DRILL_SEED=n` plays another plan of faults; `npm run drill -- --help` has longer ones. Where something was
 * found, data, logs and the plan's seed are kept and named.
 */
import { mkdtempSync, readFileSync, rmSync, truncateSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterNode } from '@seatlog/local-stack';
import { describe, expect, it } from 'vitest';
import { TOPIC } from '../drill/drill-cluster.ts';
import { defaultSettings, type DrillSettings } from '../drill/drill-settings.ts';
import { lastWordsOf, speakersIn } from '../last-words.ts';
import { type DrillCompany, type DrillReport, runDrill } from '../drill/run-drill.ts';

const seed = Number(process.env['DRILL_SEED'] ?? '1');
const DRILL_DEADLINE_MS = 600_000;
/** For a drill to say something. How many there are in the end is up to the machine. */
const ENOUGH_RECORDS = 500;
/** Faults follow each other sooner than in a drill that somebody watches. */
const quick = { sessionTimeoutMs: 2_000, mostCalmMs: 500 } as const;

async function drill(
  settings: Partial<DrillSettings>,
  company: Partial<DrillCompany> = {},
): Promise<DrillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'seatlog-drill-'));
  const told: string[] = [];
  const all = { ...defaultSettings, seed, ...settings };
  const { report } = await runDrill(all, folder, { say: (line) => told.push(line), ...company });
  const isExpected = report.ok || company.whileDead !== undefined;
  if (isExpected) rmSync(folder, { recursive: true, force: true });
  else
    throw new Error(
      [
        `seed ${all.seed}, kept in ${folder}:`,
        ...told,
        JSON.stringify(report, null, 1),
        ...speakersIn(folder).map(lastWordsOf),
      ].join('\n'),
    );
  return report;
}

/** Side by side: most of the time one waits for a process to start, the other for a session to run out. */
describe.concurrent('F20: kill -9', () => {
  it(
    'of a broker that is alone, 50 times: nothing acknowledged is lost, nothing is doubled',
    async () => {
      const report = await drill({
        ...{ brokers: 1, partitions: 3, end: { rounds: 50 }, faults: ['kill-leader'] },
        ...{ mostCalmMs: 100, rate: 300 },
      });
      expect(report).toMatchObject({
        ok: true,
        anomalyCount: 0,
        complaints: [],
        faults: { 'kill-leader': 50 },
      });
      expect(report.acked).toBeGreaterThan(ENOUGH_RECORDS);
    },
    DRILL_DEADLINE_MS,
  );

  it(
    'of nodes of a cluster, 10 times: leaders, controllers, two one after another, two at once',
    async () => {
      const faults = ['kill-leader', 'kill-controller', 'kill-one-after-another', 'kill-two'] as const;
      const report = await drill({ end: { rounds: 10 }, faults, ...quick });
      expect(report).toMatchObject({ ok: true, anomalyCount: 0, complaints: [], failed: 0 });
      expect(Object.keys(report.faults).toSorted()).toEqual(faults.toSorted());
      expect(report.failoverMs.leader.count + report.failoverMs.controller.count).toBeGreaterThan(0);
    },
    DRILL_DEADLINE_MS,
  );
});

it(
  'F20, F21, F22, F29: a minute of all faults: kills, zombies, cuts, lost answers, slow ways, restarts',
  async () => {
    const report = await drill({ end: { seconds: 60 }, ...quick });
    expect(report).toMatchObject({ ok: true, anomalyCount: 0, complaints: [], failed: 0 });
    expect(Object.keys(report.faults).length).toBeGreaterThan(1);
    expect(report.acked).toBeGreaterThan(ENOUGH_RECORDS);
  },
  DRILL_DEADLINE_MS,
);

/** Cuts the second half off the longest log of the dead node. */
function halve(node: ClusterNode): void {
  const logs = readdirSync(node.logDirectory)
    .filter((name) => name.startsWith(`${TOPIC}-`))
    .map((name) => join(node.logDirectory, name, '00000000000000000000.log'))
    .map((file) => ({ file, size: readFileSync(file).length }))
    .toSorted((a, b) => b.size - a.size);
  if (logs[0] !== undefined) truncateSync(logs[0].file, Math.floor(logs[0].size / 2));
}

it(
  'a drill notices when acknowledged records are cut off',
  async () => {
    const settings = { brokers: 1, partitions: 1, end: { rounds: 1 }, faults: ['kill-leader'] } as const;
    const report = await drill({ ...settings, mostCalmMs: 5_000 }, { whileDead: halve });
    expect(report.ok).toBe(false);
    expect(report.anomalyCount).toBeGreaterThan(0);
  },
  DRILL_DEADLINE_MS,
);
