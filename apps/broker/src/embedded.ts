/**
 * A broker in the process of whoever starts it, with time, chance, disk and network as arguments: what the test kit
 * stands on. Everything else starts brokers as processes and knows them by the wire.
 */
export { type BrokerOptions, type RunningBroker, startBroker } from './broker.ts';
export type { BrokerPorts } from './broker-ports.ts';
export { ConfigError } from './config/config-error.ts';
export { type LoadedConfig, loadConfig } from './config/load.ts';
export { createLogger, type Logger, silentLogger } from './logger.ts';
export { nodeNetwork } from './network/node-network.ts';
export type { InterceptedRequest, RequestInterceptor } from './request-interceptor.ts';
