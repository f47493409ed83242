/**
 * @seatlog/local-stack: PostgreSQL, Redis, brokers and the ticketing apps as child processes of this one, for the demo,
 * for tests and for the lab alike. It needs Node and npm alone.
 *
 *     await using postgres = await startPostgres({ dataDirectory, durable: false });
 *     await using broker = await startBroker({ dataDirectory });
 *     await using cluster = await startCluster({ dataDirectory, nodes: combinedNodes(3), proxied: true });
 *     const services = await testServices({ template: { name: 'booking', prepare: migrate } });
 *     await using stack = await startStack({ steps, fresh: true });
 */
export { LocalStackError, type LocalStackErrorCode } from './local-stack-error.ts';
export { childEnvironment } from './child-environment.ts';
export { failureText } from './failure-text.ts';
export { layoutDirectory, repositoryRoot } from './repository.ts';
export type { ManagedProcess, ProcessExit } from './managed-process.ts';
export { freePort, isFree } from './free-port.ts';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres/start-postgres.ts';
export { wipeDataDirectory } from './wipe-data-directory.ts';
export { startRedis, type RedisOptions, type RedisServer } from './redis/start-redis.ts';
export { brokerProperties, type BrokerPlan, type NodeRole } from './broker-properties.ts';
export { startBroker, type BrokerOptions, type BrokerPorts, type BrokerServer } from './start-broker.ts';
export {
  type Cluster,
  type ClusterNode,
  type ClusterOptions,
  startCluster,
} from './cluster/start-cluster.ts';
export { combinedNodes, isBroker, isController, type NodePlan, separateNodes } from './cluster/node-plans.ts';
export type { NodeState, PartitionState } from './cluster/node-state.ts';
export {
  type Endpoint,
  endpointOfClient,
  type LostAnswer,
  NetworkFaults,
  nodeEndpoint,
} from './network/network-faults.ts';
export { FaultProxy, type FaultProxyOptions } from './network/fault-proxy.ts';
export { SilentRelay } from './network/silent-relay.ts';
export { appProgram, startApp, type AppOptions, type AppServer } from './start-app.ts';
export { startStack } from './stack/start-stack.ts';
export { readRunningStack, type RunningStack } from './stack/stack-file.ts';
export type {
  ExternalServices,
  ServiceEndpoints,
  Stack,
  StackEndpoints,
  StackOptions,
  StackPorts,
  StackProgress,
  StackSteps,
} from './stack/stack-types.ts';
export {
  stopOwnTestServices,
  testServices,
  type TestServices,
  type TestServicesOptions,
} from './test-services/test-services.ts';
export type { DatabaseTemplate } from './test-services/test-database.ts';
export type { TestServicesKind } from './test-services/choice.ts';
