/**
 * A real broker in memory, in the test's own process: no files, no sockets, no container.
 *
 * ```ts
 * await using cluster = await createTestCluster({ topics: [{ name: 'orders', partitions: 3 }] });
 * await using client = createClient(cluster.clientOptions);
 * ```
 */
export type { LoggedHeader, LoggedRecord } from './logged-records.ts';
export type {
  ApiName,
  HookContext,
  PassedRequest,
  RequestAnswer,
  RequestHook,
} from './request-hooks.ts';
export { createTestCluster } from './test-cluster.ts';
export type {
  ClusterBroker,
  RestartOptions,
  TestCluster,
  TestClusterOptions,
  TestTopic,
} from './types.ts';
