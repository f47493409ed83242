/**
 * What a seed is about. Each seed draws its own cluster, its own weather and which faults there are at all, for a fault
 * that is rare among all others would never meet the state that it breaks.
 *
 * `drawProfile` gives the story that a seed has always told; `extendedProfile` adds to it what came later, by chance of
 * its own, so that seeds that failed once still tell what they failed by.
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

/** Those that only an extended profile has. */
export const LATER_FAULT_KINDS = [
  'disk-full',
  'disk-error',
  'rot-while-running',
  'controller-disk-full',
  'controller-disk-error',
  'retain',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number] | (typeof LATER_FAULT_KINDS)[number];

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
  /** A share of the answers to fetches of followers in which a bit has turned on the way, 0 to 1. */
  readonly rotOnTheWay: number;
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
    return {
      acks,
      isIdempotent: acks === -1 && random.oneIn(2),
      pauseMs: 5 + random.below(80),
      inFlight: 1,
      recordsInBatch: 3,
      backoffMs: 25,
    };
  });
  return {
    settings,
    weather,
    faults,
    faultEveryMs: 60 + random.below(900),
    producers,
    consumers: random.oneIn(3) ? 2 : 1,
    consumersReadFollowers: random.oneIn(2),
    rotOnTheWay: 0,
  };
}

/** The same with what came later: each thing in some of the seeds. */
export function extendedProfile(profile: Profile, random: SeededRandom): Profile {
  if (random.oneIn(4)) return profile;
  const { settings } = profile;
  const isDense = random.oneIn(2);
  const hasSnapshots = random.oneIn(3);
  const diskFaults = random.oneIn(3);
  const rots = random.oneIn(4);
  const faults = new Map(profile.faults);
  const add = (kind: FaultKind, isWanted: boolean): void => {
    const weight = random.oneIn(3) ? 4 : 2;
    if (isWanted) faults.set(kind, weight);
  };
  const isErring = random.oneIn(2);
  add('disk-full', diskFaults && (!isErring || random.oneIn(2)));
  add('disk-error', diskFaults && isErring);
  add('controller-disk-full', diskFaults && random.oneIn(2));
  add('controller-disk-error', diskFaults && random.oneIn(2));
  add('rot-while-running', rots);
  // A start that trusts what it finds would keep it, of any batch, on as many disks as there are.
  if (rots) faults.delete('rot');
  add('retain', random.oneIn(4));
  return {
    ...profile,
    settings: {
      ...settings,
      eligibleLeaderReplicas: !random.oneIn(4),
      trustsWhatWasSynced: rots,
      batchesBetweenSnapshots: hasSnapshots ? 3 + random.below(25) : 0,
      partitions: isDense ? 1 + random.below(4) : settings.partitions,
      // Snapshots are of a log that is written by a quorum.
      steadyController: settings.steadyController && !hasSnapshots,
      fetchMaxBytes: isDense ? 500 + random.below(1500) : settings.fetchMaxBytes,
    },
    faults,
    producers: isDense ? manyProducers(random) : profile.producers,
    consumers: isDense ? profile.consumers + 1 : profile.consumers,
    rotOnTheWay: rots && random.oneIn(2) ? random.fraction() * 0.05 : 0,
  };
}

/** All ways of asking side by side, most of them with several batches on their way. */
function manyProducers(random: SeededRandom): readonly ProducerHabits[] {
  return Array.from({ length: 3 + random.below(4) }, (_, at): ProducerHabits => {
    const acks = [-1, -1, 1, -1, 0, -1][at] ?? -1;
    return {
      acks,
      isIdempotent: acks === -1 && random.oneIn(2),
      pauseMs: acks === 0 ? 60 : 2 + random.below(30),
      inFlight: acks === 0 ? 1 : 1 + random.below(5),
      recordsInBatch: 1 + random.below(8),
      backoffMs: 60 + random.below(200),
    };
  });
}
