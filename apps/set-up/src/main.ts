/**
 * Runs once before the ticketing services, and bears being run again: schema and topics, then the demo's event if it
 * is wanted, and the secret that the services share if none is given.
 *
 * Exit code 0: all of it is there; 78: the environment is at fault; 1: something could not be done, or not in time.
 */
import { migrate } from '@seatlog/booking-database';
import {
  ConfigurationError,
  createLogger,
  EXIT_CONFIGURATION,
  type Logger,
  readConfiguration,
} from '@seatlog/observability';
import { createTicketingTopics, demoEvent, putOnSale } from '@seatlog/ticketing-setup';
import { type Configuration, configurationSchema } from './configuration.ts';
import { keepTokenSecret } from './token-secret.ts';

const SERVICE = 'set-up';
/** Whoever waits for this process shall learn that it hangs. */
const DEADLINE_MS = 120_000;

async function setUp(configuration: Configuration, logger: Logger): Promise<void> {
  const { BROKERS, DATABASE_URL, REPLICATION_FACTOR, SEED_DEMO_EVENT, TOKEN_SECRET_FILE } = configuration;
  await Promise.all([
    migrate(DATABASE_URL).then((versions) => logger.info({ versions }, 'the schema is current')),
    createTicketingTopics(BROKERS, REPLICATION_FACTOR).then(() => logger.info('the topics are there')),
  ]);
  if (SEED_DEMO_EVENT === 'true') {
    const { seats } = await putOnSale(DATABASE_URL, demoEvent);
    logger.info({ eventId: demoEvent.eventId, seats }, 'the event is on sale');
  }
  if (TOKEN_SECRET_FILE !== undefined && keepTokenSecret(TOKEN_SECRET_FILE)) {
    logger.info({ file: TOKEN_SECRET_FILE }, 'a token secret was made');
  }
}

function configurationOrExit(): Readonly<Configuration> {
  try {
    return readConfiguration(configurationSchema, process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    createLogger({ service: SERVICE }).fatal({ code: error.code, fields: error.fields }, error.message);
    return process.exit(EXIT_CONFIGURATION);
  }
}

const configuration = configurationOrExit();
const logger = createLogger({ service: SERVICE, level: configuration.LOG_LEVEL });
setTimeout(() => {
  logger.fatal({ deadlineMs: DEADLINE_MS }, 'set-up did not end in time');
  process.exit(1);
}, DEADLINE_MS).unref();
try {
  await setUp(configuration, logger);
} catch (error) {
  logger.fatal({ error }, 'could not set up');
  // The other steps need not be waited for.
  process.exit(1);
}
