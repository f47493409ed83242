/** The configuration of an embedded broker: what suits a test, the caller's, and what the kit itself decides. */
import { type LoadedConfig, loadConfig } from '@seatlog/broker/embedded';

export const NODE_ID = 1;
/** A name that no resolver knows: a client that was not given the cluster's ports fails at once. */
export const MEMORY_HOST = 'broker-1.memory';
export const MEMORY_PORT = 9092;
export const LOOPBACK = '127.0.0.1';

const SUITED_TO_TESTS = {
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '1',
  'group.initial.rebalance.delay.ms': '0',
  'group.min.session.timeout.ms': '1',
};

const DECIDED_BY_THE_KIT = new Set([
  'listeners',
  'advertised.listeners',
  'log.dir',
  'log.dirs',
  'node.id',
  'process.roles',
  'seatlog.http.listener',
]);

/** Throws for a name that the broker does not know, or that the kit decides, and `ConfigError` for a bad value. */
export function brokerSettings(
  given: Readonly<Record<string, string>>,
  address: { readonly host: string; readonly port: number },
): LoadedConfig['config'] {
  const taken = Object.keys(given).find((name) => DECIDED_BY_THE_KIT.has(name));
  if (taken !== undefined) throw new Error(`brokerConfig cannot set ${taken}: the test kit decides it`);
  const settings = {
    ...SUITED_TO_TESTS,
    ...given,
    'node.id': String(NODE_ID),
    'log.dir': '/data',
    listeners: `PLAINTEXT://${address.host}:${address.port}`,
  };
  const { config, warnings } = loadConfig({ overrides: new Map(Object.entries(settings)) });
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
  return config;
}
