/** Ports through which the cores reach time, chance, files and networks, and their Node adapters. */
export { type Clock, systemClock } from './clock.ts';
export {
  type Completion,
  type DirectoryEntry,
  type EntryKind,
  type FileHandle,
  type FileLock,
  type FileStat,
  type FileSystem,
  FileSystemError,
  isOutOfSpace,
  type OpenMode,
  type WriteCompletion,
} from './file-system.ts';
export type {
  ByteReceiver,
  ByteStream,
  ConnectAddress,
  ConnectingReceiver,
  IncomingStream,
  ListenAddress,
  ListenEvents,
  Network,
  StreamListener,
} from './network.ts';
export { nodeFileSystem } from './node-file-system.ts';
export { LONGEST_PAUSE_MS, type RetryPolicy, untilDone } from './passing-faults.ts';
export { type Random, systemRandom } from './random.ts';
export { systemPause } from './system-pause.ts';
export { type Cancel, systemTimers, type Timers } from './timers.ts';
export { systemTurns, type Turns } from './turns.ts';
