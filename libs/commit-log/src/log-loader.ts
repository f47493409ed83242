import {
  batchBaseOffset,
  type BatchHeaders,
  batchMaxTimestamp,
  batchPartitionLeaderEpoch,
} from '@seatlog/kafka-protocol';
import { type BatchDamage, walkBatches, walkInSlices } from './batch-walk.ts';
import { LeaderEpochCache } from './leader-epoch-cache.ts';
import { readLeaderEpochs } from './leader-epoch-file-cache.ts';
import type { LogConfig } from './log-config.ts';
import type { LogEnvironment } from './log-environment.ts';
import { LogError } from './log-error.ts';
import { LogSegment } from './log-segment.ts';
import type { LeaderEpochEntry } from './partition-log.ts';
import { partitionName } from './partition-name.ts';
import { finishLeftovers } from './partition-leftovers.ts';
import { ProducerSnapshots } from './producer-snapshots.ts';
import { ProducerStateManager } from './producer-state-manager.ts';
import {
  checkSegment,
  keepBelow,
  rebuildSegment,
  type ScanOptions,
  type SegmentScan,
  scanOn,
} from './segment-check.ts';
import { parseSegmentFileName } from './segment-files.ts';
import type { LogIdentity } from './local-log.ts';
import type { SlicedWork } from './sliced-work.ts';
import { writeAgain } from './tail-rewrite.ts';

/** What the directory knows of a partition before its files are looked at. */
export interface LoadOptions {
  readonly config: LogConfig;
  /** The last run stopped cleanly: every batch is there and whole. */
  readonly clean: boolean;
  /** The partition was just made: there is nothing yet that would have to last. */
  readonly fresh?: boolean;
  /** Everything below was synced. */
  readonly recoveryPoint: number;
  /** Records below were deleted. */
  readonly logStartOffset: number;
}

export interface LoadedLog {
  readonly segments: readonly [LogSegment, ...LogSegment[]];
  readonly logStartOffset: number;
  readonly producers: ProducerStateManager;
  readonly snapshots: ProducerSnapshots;
  readonly epochs: readonly LeaderEpochEntry[];
  /** Whether the epochs differ from what their file holds. */
  readonly epochsChanged: boolean;
}

/**
 * Opens the files of a partition.
 *
 * Bytes below the recovery point, and all bytes after a clean stop, are trusted: of them only the indexes' fit is
 * checked. Bytes behind it are read and checked batch by batch; at the first that is torn, corrupt or out of order
 * the log ends, and later segments go. Damage to a trusted segment is an error, except for a last one that was cut
 * short: it ends with its last whole batch. Everything that was repaired is synced before the log is used.
 */
export function loadLog(
  identity: LogIdentity,
  environment: LogEnvironment,
  options: LoadOptions,
): SlicedWork<LoadedLog> {
  return new LogLoader(identity, environment, options).load();
}

class LogLoader {
  readonly #identity: LogIdentity;
  readonly #environment: LogEnvironment;
  readonly #options: LoadOptions;
  readonly #snapshots: ProducerSnapshots;
  readonly #producers = new ProducerStateManager(0);
  readonly #epochs = new LeaderEpochCache();
  /** Bytes below this offset are trusted. */
  readonly #trustedEnd: number;
  #repaired = false;
  /** The producers follow the scan batch by batch. */
  #replaying = false;

  constructor(identity: LogIdentity, environment: LogEnvironment, options: LoadOptions) {
    this.#identity = identity;
    this.#environment = environment;
    this.#options = options;
    this.#snapshots = new ProducerSnapshots(environment.files, identity.directory);
    this.#trustedEnd = options.clean ? Number.POSITIVE_INFINITY : options.recoveryPoint;
  }

  *load(): SlicedWork<LoadedLog> {
    const { files } = this.#environment;
    const { directory } = this.#identity;
    const leftovers = finishLeftovers(files, directory);
    for (const name of leftovers.swapped) this.#report('info', `Completed the swap of ${name}`);
    const stored = readLeaderEpochs(files, directory);
    const storedEntries = stored.kind === 'found' ? stored.entries : [];
    for (const { epoch, startOffset } of storedEntries) this.#epochs.assign(epoch, startOffset);
    const found = yield* this.#loadSegments();
    if (stored.kind !== 'found') yield* this.#rebuildEpochs(found, stored.kind);
    else if (!this.#knowFirstEpoch(found)) yield* this.#rebuildEpochs(found, 'behind');
    return yield* this.#settle(found, storedEntries);
  }

  *#settle(found: readonly LogSegment[], storedEpochs: readonly LeaderEpochEntry[]): SlicedWork<LoadedLog> {
    const logStartOffset = Math.max(this.#options.logStartOffset, found[0]?.baseOffset ?? 0);
    const [first, ...others] = this.#withActive(found, logStartOffset);
    const segments = [first, ...others] as const;
    const active = others.at(-1) ?? first;
    this.#epochs.truncateFromEnd(active.nextOffset);
    this.#epochs.truncateFromStart(logStartOffset);
    yield* this.#settleProducers(segments, active.nextOffset);
    const { clean, fresh = false } = this.#options;
    if (!fresh && (this.#repaired || !clean)) yield* this.#sync(segments);
    active.firstTimestamp = firstTimestampOf(active);
    // An epoch in which nothing was appended is dropped anew at every start: no write of a file for each idle partition.
    const worthKeeping = storedEpochs.filter((entry) => entry.startOffset < active.nextOffset);
    return {
      segments,
      logStartOffset,
      producers: this.#producers,
      snapshots: this.#snapshots,
      epochs: this.#epochs.entries,
      epochsChanged: JSON.stringify(worthKeeping) !== JSON.stringify(this.#epochs.entries),
    };
  }

  /** A log that is empty, or ends before it is to begin, gets a segment at its beginning. */
  #withActive(found: readonly LogSegment[], logStartOffset: number): [LogSegment, ...LogSegment[]] {
    const { files, clock } = this.#environment;
    const [first, ...others] = found;
    const end = found.at(-1)?.nextOffset ?? logStartOffset;
    if (first !== undefined && end >= logStartOffset) return [first, ...others];
    for (const segment of found) segment.retire();
    this.#dropFrom(
      found.map((segment) => segment.baseOffset),
      `the log ends at ${end}, before its start offset ${logStartOffset}`,
    );
    this.#repaired = true;
    this.#replaying = false;
    return [LogSegment.create(files, this.#identity.directory, logStartOffset, clock.now())];
  }

  *#settleProducers(segments: readonly LogSegment[], end: number): SlicedWork<void> {
    if (this.#replaying) {
      this.#producers.advanceTo(end);
      this.#snapshots.removeAbove(end);
    } else {
      yield* this.#snapshots.rebuildInSlices(this.#producers, segments, end);
    }
    this.#snapshots.removeStray(segments);
  }

  *#loadSegments(): SlicedWork<LogSegment[]> {
    const bases = this.#baseOffsets();
    const segments: LogSegment[] = [];
    let expected = bases[0] ?? 0;
    for (const [place, baseOffset] of bases.entries()) {
      if (!this.#follows(baseOffset, expected)) {
        this.#dropFrom(bases.slice(place), `it does not follow offset ${expected}`);
        break;
      }
      const { files, clock, openSegments } = this.#environment;
      const segment = new LogSegment(files, this.#identity.directory, baseOffset, clock.now());
      segments.push(segment);
      const nextBase = bases[place + 1];
      yield null;
      const whole = yield* this.#loadSegment(segment, nextBase, segments);
      expected = segment.nextOffset;
      if (nextBase !== undefined && whole) openSegments.touch(segment);
      if (whole) continue;
      this.#dropFrom(bases.slice(place + 1), `the log ends at offset ${expected}`);
      break;
    }
    return segments;
  }

  /** Whether a segment may come next. A gap in trusted data is no harm where compaction may have made it. */
  #follows(baseOffset: number, expected: number): boolean {
    if (baseOffset === expected) return true;
    if (baseOffset > expected && baseOffset <= this.#trustedEnd) {
      if (this.#options.config.cleanupPolicy === 'delete')
        throw this.#corrupt(
          `offsets ${expected} to ${baseOffset - 1} are missing from ${this.#identity.directory}`,
        );
      this.#report('warn', `Offsets ${expected} to ${baseOffset - 1} are not in the log`);
      return true;
    }
    if (baseOffset < expected && expected <= this.#trustedEnd) {
      throw this.#corrupt(`segment ${baseOffset} overlaps the one before it, which ends at ${expected}`);
    }
    return false;
  }

  /** False when the log ends inside of this segment. */
  *#loadSegment(
    segment: LogSegment,
    nextBase: number | undefined,
    soFar: readonly LogSegment[],
  ): SlicedWork<boolean> {
    const last = nextBase === undefined;
    const trusted = last ? this.#options.clean : nextBase <= this.#trustedEnd;
    const scan = yield* trusted ? this.#checkTrusted(segment) : this.#checkDoubtful(segment, soFar);
    return scan === null || this.#accept(segment, scan, last);
  }

  /** Null when the segment's indexes fit; else they are built again. */
  *#checkTrusted(segment: LogSegment): SlicedWork<SegmentScan | null> {
    const { files } = this.#environment;
    const { directory } = this.#identity;
    const sound = checkSegment(files, directory, segment, this.#options.config.indexIntervalBytes);
    if (sound === null) {
      this.#report('info', `Indexes of ${segment.path} do not fit the log and are built again`);
      return yield* rebuildSegment(files, directory, segment, this.#scanOptions(false));
    }
    segment.replaceIndexes(sound.indexes);
    segment.restore(sound);
    return null;
  }

  /** Reads the segment from the recovery point on, or all of it. */
  *#checkDoubtful(segment: LogSegment, soFar: readonly LogSegment[]): SlicedWork<SegmentScan> {
    const { files } = this.#environment;
    const { directory } = this.#identity;
    const options = this.#scanOptions(this.#options.config.cleanupPolicy === 'delete');
    const partlyTrusted = segment.baseOffset < this.#trustedEnd;
    const kept = partlyTrusted && keepBelow(files, directory, segment, this.#options.recoveryPoint);
    if (!kept) segment.restore({ ...EMPTY, nextOffset: segment.baseOffset });
    yield* this.#beginReplay(segment, soFar);
    return yield* kept ? scanOn(segment, options) : rebuildSegment(files, directory, segment, options);
  }

  /** Brings the producers to where the scan begins; the scan carries them on. */
  *#beginReplay(segment: LogSegment, soFar: readonly LogSegment[]): SlicedWork<void> {
    if (this.#replaying) return;
    this.#replaying = true;
    yield* this.#snapshots.rebuildInSlices(this.#producers, soFar, segment.nextOffset);
  }

  #scanOptions(contiguous: boolean): ScanOptions {
    const { indexIntervalBytes } = this.#options.config;
    return {
      indexIntervalBytes,
      contiguous,
      replay: (bytes, position, headers, lastOffset) => this.#replay(bytes, position, headers, lastOffset),
    };
  }

  /** Takes the outcome of a scan: cuts the segment where it ends, unless that would hide damage to trusted data. */
  #accept(segment: LogSegment, scan: SegmentScan, last: boolean): boolean {
    this.#repaired = true;
    const size = segment.file.size();
    const damage = scan.damage;
    if (damage !== null) {
      this.#requireDoubtful(segment, scan, damage, last);
      const where = `cut at position ${scan.soundBytes} of ${size}, offset ${scan.nextOffset}`;
      this.#report('warn', `${segment.path}: ${where} (batch with bad ${damage})`);
      segment.file.truncate(scan.soundBytes);
    }
    if (last && !this.#options.clean && scan.nextOffset < this.#options.recoveryPoint) {
      this.#report(
        'warn',
        `The log ends at ${scan.nextOffset}, before the recovery point ${this.#options.recoveryPoint}`,
      );
    }
    if (last) segment.indexes.save();
    else segment.seal();
    return damage === null;
  }

  #requireDoubtful(segment: LogSegment, scan: SegmentScan, damage: BatchDamage, last: boolean): void {
    if (scan.nextOffset >= this.#trustedEnd) return;
    if (last && damage === 'truncated') return;
    throw this.#corrupt(`${segment.path} at position ${scan.soundBytes}: batch with bad ${damage}`);
  }

  #replay(bytes: Uint8Array, position: number, headers: BatchHeaders, lastOffset: number): void {
    this.#noteEpoch(position, headers);
    if (this.#replaying) this.#producers.replay(bytes, position, headers, lastOffset);
  }

  #noteEpoch(position: number, headers: BatchHeaders): void {
    const epoch = headers.partitionLeaderEpoch(position);
    if (epoch > this.#epochs.latestEpoch) this.#epochs.assign(epoch, headers.baseOffset(position));
  }

  /**
   * The epochs may have been cut to a log start offset that a crash kept from its own checkpoint: then the log begins
   * earlier than they do.
   */
  #knowFirstEpoch([first]: readonly LogSegment[]): boolean {
    if (first === undefined || first.sizeBytes === 0) return true;
    let known = true;
    const options = {
      from: first.indexes.positionFor(this.#options.logStartOffset),
      to: first.sizeBytes,
      expectedOffset: first.baseOffset,
      depth: 'headers',
    } as const;
    walkBatches(first.file, options, (bytes, position) => {
      const epoch = batchPartitionLeaderEpoch(bytes, position);
      const at = Math.max(batchBaseOffset(bytes, position), this.#options.logStartOffset);
      known = epoch < 0 || this.#epochs.epochAt(at) === epoch;
      return false;
    });
    return known;
  }

  *#rebuildEpochs(
    segments: readonly LogSegment[],
    because: 'missing' | 'garbled' | 'behind',
  ): SlicedWork<void> {
    if (segments.every((segment) => segment.sizeBytes === 0)) return;
    const level = because === 'behind' ? 'info' : 'warn';
    this.#report(level, `leader-epoch-checkpoint is ${because}; it is built again from the log`);
    this.#epochs.clear();
    for (const segment of segments) {
      const options = {
        from: 0,
        to: segment.sizeBytes,
        expectedOffset: segment.baseOffset,
        depth: 'headers',
      } as const;
      yield* walkInSlices(segment.file, options, (_bytes, position, _lastOffset, _filePosition, headers) => {
        this.#noteEpoch(position, headers);
        return true;
      });
    }
  }

  #dropFrom(bases: readonly number[], reason: string): void {
    for (const baseOffset of bases) {
      this.#report('warn', `Segment ${baseOffset} is dropped: ${reason}`);
      this.#environment.removal.remove(
        this.#identity.directory,
        baseOffset,
        this.#options.config.fileDeleteDelayMs,
      );
    }
    if (bases.length > 0) this.#repaired = true;
  }

  *#sync(segments: readonly LogSegment[]): SlicedWork<void> {
    for (const segment of segments) {
      if (segment.nextOffset < this.#options.recoveryPoint) continue;
      yield* this.#writeAgain(segment);
      yield segment.file;
    }
    this.#environment.files.syncDirectory(this.#identity.directory);
  }

  /** Where appends are acknowledged once they are synced, a sync may have failed before the process ended. */
  *#writeAgain(segment: LogSegment): SlicedWork<void> {
    const { clean, config, recoveryPoint } = this.#options;
    if (clean || config.flushMessages === Number.POSITIVE_INFINITY) return;
    yield* writeAgain(segment, segment.indexes.positionFor(recoveryPoint));
  }

  #baseOffsets(): number[] {
    return this.#environment.files
      .readDirectory(this.#identity.directory)
      .map((entry) => parseSegmentFileName(entry.name))
      .filter((name) => name !== null)
      .filter((name) => name.kind === 'log')
      .map((name) => name.baseOffset)
      .sort((left, right) => left - right);
  }

  #corrupt(message: string): LogError {
    return new LogError('LOG_CORRUPT', message);
  }

  #report(level: 'info' | 'warn', message: string): void {
    const { topic, partition } = this.#identity;
    this.#environment.listener.report?.({ level, message, partition: partitionName(topic, partition) });
  }
}

const EMPTY = { sizeBytes: 0, nextOffset: -1, maxTimestamp: -1, offsetOfMaxTimestamp: -1 };

/** Timestamp of the first batch, by which the segment will be rolled; -1 for an empty one. */
function firstTimestampOf(segment: LogSegment): number {
  let timestamp = -1;
  const options = {
    from: 0,
    to: segment.sizeBytes,
    expectedOffset: segment.baseOffset,
    depth: 'headers',
  } as const;
  walkBatches(segment.file, options, (bytes, position) => {
    timestamp = batchMaxTimestamp(bytes, position);
    return false;
  });
  return timestamp;
}
