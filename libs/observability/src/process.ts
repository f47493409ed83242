/**
 * The frame of a process: configuration read and refused, logger, metrics, health and shutdown made, the parent watched,
 * signals listened to. `start` builds the rest and adds its shutdown steps as it goes.
 *
 * It promises: a configuration that is refused ends the process with code 78 and a line that names the fields; a start that
 * fails runs the steps added so far and ends it with code 1; so does a rejection that nobody handled.
 */
import type { Registry } from 'prom-client';
import { ConfigurationError, readConfiguration, type EnvironmentSchema } from './configuration.ts';
import { HealthRegistry } from './health-registry.ts';
import { createLogger, type Logger, type LogLevel } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { watchParent } from './parent-watch.ts';
import { Shutdown } from './shutdown.ts';

export interface ProcessConfiguration {
  readonly LOG_LEVEL: LogLevel;
  readonly SEATLOG_PARENT_PID?: number | undefined;
}

export interface ProcessContext<T> {
  readonly configuration: Readonly<T>;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly health: HealthRegistry;
  readonly shutdown: Shutdown;
}

/** As sysexits.h has it: the configuration is at fault, starting again will not help. */
export const EXIT_CONFIGURATION = 78;

export async function runProcess<T extends ProcessConfiguration>(options: {
  readonly service: string;
  readonly schema: EnvironmentSchema<T>;
  readonly start: (context: ProcessContext<T>) => Promise<void>;
}): Promise<void> {
  const { service, schema, start } = options;
  const configuration = configurationOrExit(service, schema);
  const logger = createLogger({ service, level: configuration.LOG_LEVEL });
  const shutdown = new Shutdown(logger);
  shutdown.listen();
  const end = (reason: string) => void shutdown.run(reason).then(() => process.exit(1));
  process.on('unhandledRejection', (error) => {
    logger.fatal({ error }, 'a rejection that nobody handled');
    end('unhandled rejection');
  });
  watchParent({ parentPid: configuration.SEATLOG_PARENT_PID, onGone: () => end('the parent is gone') });
  const health = new HealthRegistry();
  try {
    await start({ configuration, logger, metrics: createMetrics({ service }), health, shutdown });
    logger.info('started');
  } catch (error) {
    logger.fatal({ error }, 'could not start');
    end('failed start');
  }
}

function configurationOrExit<T extends ProcessConfiguration>(
  service: string,
  schema: EnvironmentSchema<T>,
): Readonly<T> {
  try {
    return readConfiguration(schema, process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    createLogger({ service }).fatal({ code: error.code, fields: error.fields }, error.message);
    return process.exit(EXIT_CONFIGURATION);
  }
}
