import { describe, expect, it } from 'vitest';
import { apis, ErrorCode, type RequestInput } from '@seatlog/kafka-protocol';
import { ResourceType } from '@seatlog/metadata-quorum';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import { createTopics } from './19-create-topics.ts';
import { describeConfigs } from './32-describe-configs.ts';
import { alterConfigs } from './33-alter-configs.ts';
import { incrementalAlterConfigs } from './44-incremental-alter-configs.ts';

type DescribeRequest = RequestInput<typeof apis.describeConfigs>;

function setUp(overrides: Readonly<Record<string, string>> = {}) {
  const broker = new MemoryBroker(overrides);
  broker.client(apis.createTopics, createTopics).call(7, {
    topics: [
      {
        name: 'a',
        numPartitions: 1,
        replicationFactor: 1,
        assignments: [],
        configs: [{ name: 'retention.ms', value: '5000' }],
      },
    ],
  });
  const client = broker.client(apis.describeConfigs, describeConfigs);
  const describeOne = (
    resourceType: number,
    resourceName: string,
    keys: readonly string[] | null = null,
    more: Partial<DescribeRequest> = {},
    version = 4,
  ) => {
    const { results } = client.call(version, {
      resources: [{ resourceType, resourceName, configurationKeys: keys }],
      ...more,
    });
    return results[0] ?? { errorCode: -2, errorMessage: null, configs: [] };
  };
  return { broker, describeOne };
}

describe('DescribeConfigs of a topic', () => {
  it.each([1, 2, 3, 4])('version %i tells every config, for null keys and for none', (version) => {
    const { describeOne } = setUp();
    const all = describeOne(ResourceType.TOPIC, 'a', null, {}, version).configs;
    expect(all).toHaveLength(23);
    expect(all.every(({ configSource, isSensitive }) => configSource >= 1 && !isSensitive)).toBe(true);
    expect(describeOne(ResourceType.TOPIC, 'a', [], {}, version).configs).toEqual(all);
  });

  it('tells the configs asked for', () => {
    const { describeOne } = setUp();
    const { configs } = describeOne(ResourceType.TOPIC, 'a', ['retention.ms', 'no.such.config']);
    expect(configs).toEqual([
      {
        name: 'retention.ms',
        value: '5000',
        readOnly: false,
        configSource: 1,
        isSensitive: false,
        synonyms: [],
        configType: 5,
        documentation: null,
      },
    ]);
  });

  it('tells synonyms and documentation to those who ask', () => {
    const { describeOne } = setUp({ 'log.retention.ms': '7000' });
    const [config] = describeOne(ResourceType.TOPIC, 'a', ['retention.ms'], {
      includeSynonyms: true,
      includeDocumentation: true,
    }).configs;
    expect(config?.documentation).toMatch(/.+/);
    expect(config?.synonyms).toEqual([
      { name: 'retention.ms', value: '5000', source: 1 },
      { name: 'log.retention.ms', value: '7000', source: 4 },
      { name: 'log.retention.hours', value: '168', source: 5 },
    ]);
  });

  it('refuses unknown topics, illegal names and other types', () => {
    const { describeOne } = setUp();
    const codeOf = (type: number, name: string) => describeOne(type, name).errorCode;
    expect(codeOf(ResourceType.TOPIC, 'none')).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(codeOf(ResourceType.TOPIC, '../a')).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
    expect(codeOf(ResourceType.GROUP, 'g')).toBe(ErrorCode.INVALID_REQUEST);
    expect(codeOf(99, 'x')).toBe(ErrorCode.INVALID_REQUEST);
  });
});

describe('DescribeConfigs of a broker', () => {
  it('tells its own configs with sources, as read-only', () => {
    const { describeOne } = setUp({ 'auto.create.topics.enable': 'false' });
    const { configs } = describeOne(ResourceType.BROKER, '1');
    expect(configs.length).toBeGreaterThan(80);
    const config = (name: string) => configs.find((each) => each.name === name);
    expect(config('auto.create.topics.enable')).toMatchObject({
      value: 'false',
      configSource: 4,
      readOnly: true,
      configType: 1,
    });
    expect(config('num.partitions')).toMatchObject({ value: '1', configSource: 5 });
  });

  it('tells nothing of all brokers, and refuses other brokers', () => {
    const { describeOne } = setUp();
    expect(describeOne(ResourceType.BROKER, '')).toMatchObject({ errorCode: 0, configs: [] });
    expect(describeOne(ResourceType.BROKER, '2').errorCode).toBe(ErrorCode.INVALID_REQUEST);
    expect(describeOne(ResourceType.BROKER, 'one').errorCode).toBe(ErrorCode.INVALID_REQUEST);
  });
});

describe('AlterConfigs', () => {
  it.each([0, 1, 2])('version %i replaces all configs of a topic', (version) => {
    const { broker, describeOne } = setUp();
    const { responses } = broker.client(apis.alterConfigs, alterConfigs).call(version, {
      resources: [
        {
          resourceType: ResourceType.TOPIC,
          resourceName: 'a',
          configs: [{ name: 'segment.bytes', value: '100' }],
        },
      ],
      validateOnly: false,
    });
    expect(responses).toMatchObject([{ errorCode: 0, resourceName: 'a' }]);
    expect(describeOne(ResourceType.TOPIC, 'a', ['segment.bytes', 'retention.ms']).configs).toMatchObject([
      { name: 'retention.ms', value: '604800000' },
      { name: 'segment.bytes', value: '100' },
    ]);
  });

  it('tells every resource when the metadata log cannot be written', () => {
    const { broker } = setUp();
    broker.metadata.failWith = { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: 'disk full' };
    const { responses } = broker.client(apis.alterConfigs, alterConfigs).call(2, {
      resources: [{ resourceType: ResourceType.TOPIC, resourceName: 'a', configs: [] }],
      validateOnly: false,
    });
    expect(responses).toMatchObject([{ errorCode: ErrorCode.KAFKA_STORAGE_ERROR, resourceName: 'a' }]);
  });
});

describe('IncrementalAlterConfigs', () => {
  function alter(
    broker: MemoryBroker,
    resourceType: number,
    resourceName: string,
    name: string,
    configOperation: number,
    value: string | null,
    version = 1,
  ) {
    const { responses } = broker.client(apis.incrementalAlterConfigs, incrementalAlterConfigs).call(version, {
      resources: [{ resourceType, resourceName, configs: [{ name, configOperation, value }] }],
      validateOnly: false,
    });
    return responses[0];
  }

  it.each([0, 1])('version %i changes a topic before it answers', (version) => {
    const { broker, describeOne } = setUp();
    const result = alter(broker, ResourceType.TOPIC, 'a', 'retention.ms', 0, '7000', version);
    expect(result).toMatchObject({ errorCode: 0, errorMessage: null, resourceType: 2, resourceName: 'a' });
    expect(describeOne(ResourceType.TOPIC, 'a', ['retention.ms']).configs).toMatchObject([{ value: '7000' }]);
    alter(broker, ResourceType.TOPIC, 'a', 'retention.ms', 1, null, version);
    expect(describeOne(ResourceType.TOPIC, 'a', ['retention.ms']).configs).toMatchObject([
      { value: '604800000', configSource: 5 },
    ]);
  });

  it('appends to and subtracts from lists', () => {
    const { broker, describeOne } = setUp();
    const policy = () => describeOne(ResourceType.TOPIC, 'a', ['cleanup.policy']).configs[0]?.value;
    alter(broker, ResourceType.TOPIC, 'a', 'cleanup.policy', 2, 'compact');
    expect(policy()).toBe('delete,compact');
    alter(broker, ResourceType.TOPIC, 'a', 'cleanup.policy', 3, 'delete');
    expect(policy()).toBe('compact');
    expect(alter(broker, ResourceType.TOPIC, 'a', 'retention.ms', 2, '1')?.errorCode).toBe(
      ErrorCode.INVALID_CONFIG,
    );
  });

  it('refuses broker configs, which stand in files', () => {
    const { broker } = setUp();
    expect(alter(broker, ResourceType.BROKER, '1', 'num.partitions', 0, '2')).toMatchObject({
      errorCode: ErrorCode.INVALID_REQUEST,
      errorMessage: expect.stringContaining('server.properties'),
    });
  });

  it('tells every resource when the metadata log cannot be written', () => {
    const { broker } = setUp();
    broker.metadata.failWith = { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: 'disk full' };
    expect(alter(broker, ResourceType.TOPIC, 'a', 'retention.ms', 0, '1')).toMatchObject({
      errorCode: ErrorCode.KAFKA_STORAGE_ERROR,
      resourceName: 'a',
    });
  });
});
