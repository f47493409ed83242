import { expect, it } from 'vitest';
import { RandomFaults } from './testing/random-faults.ts';
import { SeatsCluster } from './testing/seats-cluster.ts';

const SEEDS = Number(process.env['FAULT_SEEDS'] ?? 4);
const FIRST_SEED = Number(process.env['FAULT_SEED'] ?? 1);
const STEPS = 40;
const CONTROLLERS = [100, 101, 102];

it.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
  'F20, F21, F22, F26: whatever happens to whole nodes, nothing that was acknowledged is lost (seed %i)',
  { timeout: 60_000 },
  async (seed) => {
    const settings = seed % 2 === 0 ? { 'min.insync.replicas': '2' } : {};
    await using cluster = await new SeatsCluster(CONTROLLERS, settings).startAll();
    const faults = new RandomFaults(cluster, CONTROLLERS, seed);
    await faults.run(STEPS);
    const findings = await faults.mend();
    expect(findings, faults.story.join(', ')).toEqual([]);
  },
);
