import { describe, expect, it } from 'vitest';
import { ConfigSource } from './broker-config.ts';
import { ConfigError } from './config-error.ts';
import { settingsFromEnvironment } from './environment.ts';
import { type LoadedConfig, loadConfig } from './load.ts';

function load(overrides: Record<string, string>): LoadedConfig {
  return loadConfig({ overrides: new Map(Object.entries(overrides)) });
}

function refusal(overrides: Record<string, string>): ConfigError {
  try {
    load(overrides);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was taken');
}

describe('loadConfig', () => {
  it("has Kafka's defaults", () => {
    const { values } = load({}).config;
    expect(values['num.partitions']).toBe(1);
    expect(values['message.max.bytes']).toBe(1_048_588);
    expect(values['log.segment.bytes']).toBe(1_073_741_824);
    expect(values['log.retention.ms']).toBeNull();
    expect(values['log.retention.hours']).toBe(168);
    expect(values['log.flush.interval.messages']).toBe(Number.MAX_SAFE_INTEGER);
    expect(values['connections.max.idle.ms']).toBe(600_000);
    expect(values['fetch.max.bytes']).toBe(57_671_680);
    expect(values.listeners).toEqual(['PLAINTEXT://:9092']);
  });

  it('lets overrides beat the environment, and the environment the file', () => {
    const { config } = loadConfig({
      file: new Map([
        ['num.partitions', '2'],
        ['node.id', '5'],
        ['log.dir', '/a'],
      ]),
      environment: new Map([
        ['num.partitions', '3'],
        ['node.id', '6'],
      ]),
      overrides: new Map([['num.partitions', '4']]),
    });
    expect(config.values['num.partitions']).toBe(4);
    expect(config.values['node.id']).toBe(6);
    expect(config.values['log.dir']).toBe('/a');
  });

  it('is frozen', () => {
    const { config } = load({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.values)).toBe(true);
  });

  it('warns of an unknown key with the nearest known one, and goes on', () => {
    const { warnings } = load({ 'num.partition': '3' });
    expect(warnings).toEqual([
      'Unknown config num.partition is ignored. The nearest known name is num.partitions.',
    ]);
    expect(load({ 'zq.far.from.all': '1' }).warnings).toEqual(['Unknown config zq.far.from.all is ignored.']);
  });

  it('takes keys of an ordinary server.properties that have nothing to act on without a warning', () => {
    expect(load({ 'num.io.threads': '8', 'socket.send.buffer.bytes': '102400' }).warnings).toEqual([]);
  });

  it.each([
    ['num.partitions', 'three'],
    ['num.partitions', '0'],
    ['log.segment.bytes', '13'],
    ['auto.create.topics.enable', 'yes'],
    ['log.cleanup.policy', 'shred'],
    ['log.cleaner.min.cleanable.ratio', '1.5'],
    ['listeners', 'PLAINTEXT:9092'],
    ['listeners', 'PLAINTEXT://:70000'],
    ['listeners', 'PLAINTEXT://:1,PLAINTEXT://:2'],
    ['seatlog.http.listener', 'nowhere'],
    ['process.roles', 'janitor'],
    ['log.dirs', '/a,/b'],
  ])('refuses %s=%s by its name', (name, text) => {
    expect(refusal({ [name]: text }).key).toBe(name);
  });

  it('refuses limits that do not fit each other', () => {
    expect(refusal({ 'message.max.bytes': '200000000' }).key).toBe('message.max.bytes');
    expect(refusal({ 'group.min.session.timeout.ms': '2000000' }).key).toBe('group.min.session.timeout.ms');
    expect(refusal({ 'broker.session.timeout.ms': '3000' }).key).toBe('broker.heartbeat.interval.ms');
  });

  it('refuses protocols that are not served, and takes a controller listener beside a mapped one', () => {
    expect(refusal({ listeners: 'SSL://:9093' }).key).toBe('listener.security.protocol.map');
    const { config } = load({
      listeners: 'INTERNAL://:9092,CONTROLLER://:9093',
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map': 'INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
      'controller.quorum.voters': '1@localhost:9093',
    });
    expect(config.values.listeners).toEqual(['INTERNAL://:9092', 'CONTROLLER://:9093']);
  });

  it("takes the environment of apache/kafka's and Confluent's compose files as it is", () => {
    const environment = settingsFromEnvironment({
      CLUSTER_ID: 'MkU3OEVBNTcwNTJENDM2Qk',
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP:
        'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PLAINTEXT_HOST:PLAINTEXT',
      KAFKA_LISTENERS: 'PLAINTEXT://broker:29092,CONTROLLER://broker:29093,PLAINTEXT_HOST://0.0.0.0:9092',
      KAFKA_ADVERTISED_LISTENERS: 'PLAINTEXT://broker:29092,PLAINTEXT_HOST://localhost:9092',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@broker:29093',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_LOG_DIRS: '/tmp/kraft-combined-logs',
      KAFKA_JMX_PORT: '9101',
    });
    const { config, warnings } = loadConfig({ environment });
    expect(warnings).toEqual([]);
    expect(config.values['cluster.id']).toBe('MkU3OEVBNTcwNTJENDM2Qk');
    expect(config.values['log.dirs']).toBe('/tmp/kraft-combined-logs');
  });

  it('derives listeners on every interface from advertised ones', () => {
    const { config } = load({ 'advertised.listeners': 'PLAINTEXT://broker.example:9092' });
    expect(config.values.listeners).toEqual(['PLAINTEXT://0.0.0.0:9092']);
  });

  it('describes every config with its source, and stand-ins in the order of their strength', () => {
    const { config } = load({ 'log.retention.ms': '5000', 'num.partitions': '3' });
    const entries = new Map(config.describe().map((entry) => [entry.name, entry]));
    expect(entries.get('num.partitions')).toMatchObject({
      value: '3',
      source: ConfigSource.STATIC_BROKER,
      isDefault: false,
      type: 3,
      synonyms: [
        { name: 'num.partitions', value: '3', source: ConfigSource.STATIC_BROKER },
        { name: 'num.partitions', value: '1', source: ConfigSource.DEFAULT },
      ],
    });
    expect(entries.get('log.retention.ms')).toMatchObject({
      value: '5000',
      synonyms: [
        { name: 'log.retention.ms', value: '5000', source: ConfigSource.STATIC_BROKER },
        { name: 'log.retention.hours', value: '168', source: ConfigSource.DEFAULT },
      ],
    });
    expect(entries.get('log.roll.ms')).toMatchObject({ value: null, synonyms: [] });
  });
});
