/** What every process of ticketing sets up once: logs, metrics, health, an orderly end. */
export { createLogger, logLevels, type Logger, type LoggerOptions, type LogLevel } from './logger.ts';
export { FrameworkLogger } from './framework-logger.ts';
export { Counter, createMetrics, Gauge, Histogram, LATENCY_BUCKETS, Registry } from './metrics.ts';
export { HealthRegistry, type CheckResult, type HealthCheck, type HealthReport } from './health-registry.ts';
export { Shutdown, SHUTDOWN_BUDGET_MS, type ShutdownStep } from './shutdown.ts';
export { watchParent, type ParentWatchOptions } from './parent-watch.ts';
export {
  ConfigurationError,
  readConfiguration,
  type EnvironmentSchema,
} from './configuration.ts';
export {
  clientFields,
  groupFields,
  groupName,
  milliseconds,
  redisFields,
  serviceFields,
} from './environment-fields.ts';
export { addOperationsRoutes, type RouteTarget } from './operations-routes.ts';
export {
  EXIT_CONFIGURATION,
  runProcess,
  type ProcessConfiguration,
  type ProcessContext,
} from './process.ts';
