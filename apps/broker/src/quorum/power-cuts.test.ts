import { expect, it } from 'vitest';
import { PowerCuts } from './testing/power-cuts.ts';

const SEEDS = Number(process.env['POWER_CUT_SEEDS'] ?? 5);
const FIRST_SEED = Number(process.env['POWER_CUT_SEED'] ?? 1);
const ROUNDS = 14;

it.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
  'F2, F26: whoever loses power, no metadata that was acknowledged is lost (seed %i)',
  { timeout: 60_000 },
  async (seed) => {
    await using cuts = new PowerCuts(seed);
    await cuts.run(ROUNDS);
    expect(await cuts.mend(), cuts.story.join(', ')).toEqual([]);
  },
);
