/** Deterministic twins of the Node adapters: they do what a test tells them, and nothing else. */
export { ManualClock } from './testing/manual-clock.ts';
export { ManualTurns } from './testing/manual-turns.ts';
export {
  type CrashOptions,
  MemoryFileSystem,
  type MemoryFileSystemOptions,
} from './testing/memory-file-system.ts';
export { type MemoryLink, type MemoryLinkEvents, MemoryNetwork } from './testing/memory-network.ts';
export type { MemoryFault, MemoryOperation } from './testing/memory-operation.ts';
export { SeededRandom } from './testing/seeded-random.ts';
