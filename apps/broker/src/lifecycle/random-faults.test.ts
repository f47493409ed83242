import { describe, expect, it } from 'vitest';
import { RandomFaults, type RandomFaultsOptions } from './testing/random-faults.ts';
import { SeatsCluster } from './testing/seats-cluster.ts';

/** More of them, and others: `FAULT_SEEDS=300 FAULT_SEED=1000`. */
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? 6);
const FIRST_SEED = Number(process.env['FAULT_SEED'] ?? 1);
const STEPS = 40;
const TIMEOUT_MS = 60_000;
const controllers = [100, 101, 102];

async function story(seed: number, death: RandomFaultsOptions['death'], settings: Record<string, string>) {
  const minimum = String(1 + (seed % 2));
  await using cluster = await new SeatsCluster(controllers, {
    ...settings,
    'min.insync.replicas': minimum,
  }).startAll();
  const faults = new RandomFaults(cluster, { controllers, seed, death });
  await faults.run(STEPS);
  const findings = await faults.mend();
  expect(findings, faults.story.join(', ')).toEqual([]);
}

describe.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))('with seed %i', (seed) => {
  it(
    'F20, F21, F22, F26: whatever happens to whole nodes, nothing that was acknowledged is lost',
    { timeout: TIMEOUT_MS },
    () => story(seed, 'process', {}),
  );

  it(
    'F2: nor when machines lose power, where everything is synced before it is acknowledged',
    { timeout: TIMEOUT_MS },
    () => story(seed, 'power', { 'log.flush.interval.messages': '1' }),
  );
});
