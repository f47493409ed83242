import type { Clock, FileSystem, Timers, Turns } from '@seatlog/runtime';
import { BackgroundWrites } from './background-writes.ts';
import type { LogLimits, LogListener } from './log-directory.ts';
import { OpenSegments } from './open-segments.ts';
import { ReadBuffers } from './read-buffers.ts';
import { SegmentRemoval } from './segment-removal.ts';
import { TailCache } from './tail-cache.ts';
import { WriteSchedule } from './write-schedule.ts';

/** Fewer than the threads that do file work for the process. */
const BACKGROUND_WRITES_AT_ONCE = 2;

/** What all logs of a directory share: the ports, and what is bounded over all of them together. */
export interface LogEnvironment {
  readonly files: FileSystem;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: LogLimits;
  readonly listener: LogListener;
  readonly tailCache: TailCache;
  readonly openSegments: OpenSegments;
  readonly readBuffers: ReadBuffers;
  readonly removal: SegmentRemoval;
  readonly schedule: WriteSchedule;
  readonly backgroundWrites: BackgroundWrites;
}

export interface LogPorts {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
}

export function createLogEnvironment(
  ports: LogPorts,
  limits: LogLimits,
  listener: LogListener,
): LogEnvironment {
  return {
    files: ports.fileSystem,
    clock: ports.clock,
    timers: ports.timers,
    limits,
    listener,
    tailCache: new TailCache(limits.tailCacheBytes),
    openSegments: new OpenSegments(limits.openSegments, limits.indexBytes),
    readBuffers: new ReadBuffers(limits.pooledReadBytes),
    removal: new SegmentRemoval(ports.fileSystem, ports.timers, listener),
    schedule: new WriteSchedule(ports.turns),
    backgroundWrites: new BackgroundWrites(BACKGROUND_WRITES_AT_ONCE),
  };
}
