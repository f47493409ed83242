/** For tests of logs and of what is built on them: batches without a record codec, and a directory on a manual disk. */
export { type TestBatchOptions, testBatch } from './testing/test-batch.ts';
export {
  openTestDirectory,
  type TestDirectory,
  type TestDirectoryOptions,
} from './testing/test-directory.ts';
/** Parts of a log that a model of one is made of. */
export { LeaderEpochCache } from './leader-epoch-cache.ts';
export { ProducerStateManager, producerBatchOf } from './producer-state-manager.ts';
