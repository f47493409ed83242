/** Reads the list of bootstrap brokers. Pure. */
import { KafkaClientError } from '../errors.ts';

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 9092;
const ADDRESS = /^(?:\[([^\]]+)\]|([^:\s]+))(?::(\d{1,5}))?$/;

export function parseBrokerAddresses(brokers: string | readonly string[]): readonly BrokerAddress[] {
  const listed = typeof brokers === 'string' ? brokers.split(',') : brokers;
  const addresses = listed
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(parseAddress);
  if (addresses.length > 0) return addresses;
  throw invalid('no bootstrap broker is given');
}

function parseAddress(text: string): BrokerAddress {
  const match = ADDRESS.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? DEFAULT_PORT : Number(match[3]);
  if (host === undefined || port < 1 || port > 65_535) throw invalid(`"${text}" is no host:port`);
  return { host, port };
}

function invalid(message: string): KafkaClientError {
  return new KafkaClientError('INVALID_CONFIGURATION', `brokers: ${message}`, {
    retriable: false,
    hint: 'give brokers as "host:port,host:port" or as a list of host:port',
  });
}
