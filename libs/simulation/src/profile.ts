/**
 * What a seed is about. Each seed draws its own cluster, its own weather and which faults there are at all, for a fault
 * that is rare among all others would never meet the state that it breaks.
 */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { ProducerHabits } from './client/simulated-producer.ts';
import type { Weather } from './network/simulated-network.ts';
import { DEFAULT_SIMULATION_SETTINGS, type SimulationSettings } from './simulation-settings.ts';

export const FAULT_KINDS = [
  'kill',
  'power-cut',
  'power-cut-all',
  'stop',
  'terminate',
  'start',
  'wipe',
  'rot',
  'cut',
  'isolate',
  'mend',
  'move-leader',
  'configure',
  'trim',
  'clock-rate',
  'clock-jump',
  'slow-disk',
  'controller-kill',
  'controller-stop',
  'controller-power-cut',
  'reassign',
  'prefer',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Profile {
  readonly settings: SimulationSettings;
  readonly weather: Weather;
  /** How often each kind of fault comes, as weights. */
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Between two faults pass up to so many milliseconds. */
  readonly faultEveryMs: number;
  readonly producers: readonly ProducerHabits[];
  readonly consumers: number;
  readonly consumersReadFollowers: boolean;
}

/** Those without which a cluster that is broken stays broken. */
const ALWAYS: readonly FaultKind[] = ['start', 'mend'];
/** Partitions are moved in some seeds alone, and in all of those. */
const MOVES: readonly FaultKind[] = ['reassign', 'prefer'];

function hasMoves(seed: number): boolean {
  return seed % 8 === 2 || seed % 8 === 7;
}

export function drawProfile(random: SeededRandom): Profile {
  const brokers = 3 + (random.oneIn(3) ? 1 + random.below(2) : 0);
  const replicationFactor = random.oneIn(6) ? 2 : Math.min(brokers, 3 + (random.oneIn(4) ? 1 : 0));
  const settings: SimulationSettings = {
    ...DEFAULT_SIMULATION_SETTINGS,
    brokers,
    controllers: random.oneIn(5) ? 1 : 3,
    steadyController: random.oneIn(2),
    partitions: 1 + (random.oneIn(2) ? random.below(3) : 0),
    replicationFactor,
    minInsyncReplicas: Math.min(replicationFactor, 1 + random.below(3)),
    uncleanElection: random.oneIn(8),
    durability: random.oneIn(2) ? 'flush' : 'page-cache',
    replicaLagTimeMaxMs: 300 + random.below(1500),
    sessionTimeoutMs: 700 + random.below(2000),
    fetchWaitMaxMs: 40 + random.below(160),
    fetchMaxBytes: random.oneIn(2) ? 120 : 1000,
    checkpointIntervalMs: 200 + random.below(2000),
    writeBackIntervalMs: 50 + random.below(3000),
    writeMs: random.oneIn(3) ? 20 : 3,
  };
  const isStormy = !random.oneIn(3);
  const weather: Weather = {
    latencyMs: 0.5,
    jitterMs: random.oneIn(3) ? 25 : 3,
    loss: isStormy && random.oneIn(2) ? random.fraction() * 0.05 : 0,
    duplication: isStormy && random.oneIn(2) ? random.fraction() * 0.08 : 0,
    slow: isStormy && random.oneIn(2) ? random.fraction() * 0.04 : 0,
    slowMs: 200 + random.below(1500),
  };
  const faults = new Map<FaultKind, number>();
  for (const kind of FAULT_KINDS) {
    if (MOVES.includes(kind)) {
      if (hasMoves(random.seed)) faults.set(kind, 2);
    } else if (ALWAYS.includes(kind)) faults.set(kind, 3);
    else if (random.oneIn(2)) faults.set(kind, random.oneIn(4) ? 4 : 1);
  }
  const producers = Array.from({ length: 1 + random.below(3) }, (): ProducerHabits => {
    const acks = [-1, -1, -1, 1, 1, 0][random.below(6)] ?? -1;
    return { acks, isIdempotent: acks === -1 && random.oneIn(2), pauseMs: 5 + random.below(80) };
  });
  return {
    settings,
    weather,
    faults,
    faultEveryMs: 60 + random.below(900),
    producers,
    consumers: random.oneIn(3) ? 2 : 1,
    consumersReadFollowers: random.oneIn(2),
  };
}
