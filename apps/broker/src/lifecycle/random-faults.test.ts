import { describe, expect, it } from 'vitest';
import { RandomFaults, type RandomFaultsOptions } from './testing/random-faults.ts';
import { SeatsCluster } from './testing/seats-cluster.ts';

/** More of them, and others: `FAULT_SEEDS=300 FAULT_SEED=1000`. */
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? 6);
const FIRST_SEED = Number(process.env['FAULT_SEED'] ?? 1);
const STEPS = 40;
const TIMEOUT_MS = 60_000;
const MOST_SEEDS_TO_A_LOSS = 20;
const controllers = [100, 101, 102];

async function findingsOf(
  seed: number,
  death: RandomFaultsOptions['death'],
  settings: Record<string, string>,
) {
  const minimum = String(1 + (seed % 2));
  await using cluster = await new SeatsCluster(controllers, {
    ...settings,
    'min.insync.replicas': minimum,
  }).startAll();
  const faults = new RandomFaults(cluster, { controllers, seed, death });
  await faults.run(STEPS);
  return { findings: await faults.mend(), story: faults.story.join(', ') };
}

describe.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))('with seed %i', (seed) => {
  it('F20, F21, F22, F26: whatever happens to whole nodes, nothing that was acknowledged is lost', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { findings, story } = await findingsOf(seed, 'process', {});
    expect(findings, story).toEqual([]);
  });

  it('F2: nor when machines lose power, where everything is synced before it is acknowledged', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { findings, story } = await findingsOf(seed, 'power', { 'log.flush.interval.messages': '1' });
    expect(findings, story).toEqual([]);
  });
});

it('F2: the stories can tell: where nothing is synced, power that fails takes what was acknowledged', {
  timeout: TIMEOUT_MS,
}, async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= MOST_SEEDS_TO_A_LOSS && found.length === 0; seed += 1) {
    found.push(...(await findingsOf(seed, 'power', {})).findings);
  }
  expect(found).toContainEqual(expect.stringContaining('was acknowledged at'));
});
