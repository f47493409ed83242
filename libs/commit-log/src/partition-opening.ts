import type { LogIdentity } from './local-log.ts';
import { LocalLog } from './local-log.ts';
import { LeaderEpochFileCache } from './leader-epoch-file-cache.ts';
import type { LogConfig } from './log-config.ts';
import type { LogEnvironment } from './log-environment.ts';
import { loadLog } from './log-loader.ts';
import type { LogParts } from './log-parts.ts';
import { type SaveRecoveryPoints, SegmentedLog } from './segmented-log.ts';
import type { SlicedWork } from './sliced-work.ts';
import { PartitionTail } from './tail-cache.ts';

/** What is known of a partition before it is opened. */
export interface OpenedFrom {
  readonly clean: boolean;
  readonly fresh?: boolean;
  readonly recoveryPoint: number;
  readonly logStartOffset: number;
  readonly highWatermark: number;
}

/** Loads a partition from its directory, recovering it if need be, and puts its log together. */
export function* openPartitionLog(
  identity: LogIdentity,
  config: LogConfig,
  from: OpenedFrom,
  environment: LogEnvironment,
  saveRecoveryPoints: SaveRecoveryPoints,
): SlicedWork<SegmentedLog> {
  const loaded = yield* loadLog(identity, environment, { config, ...from });
  const local = new LocalLog(identity, environment, loaded.segments);
  const epochs = new LeaderEpochFileCache(environment, identity.directory, loaded.epochs, (error) => {
    if (error === null) log.epochsSaved();
    else local.report('warn', `leader-epoch-checkpoint could not be written: ${error.message}`);
  });
  const parts: LogParts = {
    environment,
    local,
    tail: new PartitionTail(environment.tailCache, () => local.endOffset),
    producers: loaded.producers,
    snapshots: loaded.snapshots,
    epochs,
    config,
  };
  const { logStartOffset } = loaded;
  const highWatermark = Math.max(logStartOffset, Math.min(from.highWatermark, local.endOffset));
  // Recovery synced whatever it looked at, and a clean stop everything.
  const log: SegmentedLog = new SegmentedLog(
    parts,
    { logStartOffset, highWatermark, recoveryPoint: local.endOffset },
    saveRecoveryPoints,
  );
  if (loaded.epochsChanged) epochs.save();
  return log;
}
