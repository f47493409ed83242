import { describe, expect, it } from 'vitest';
import type { BrokerConfig } from './broker-config.ts';
import { ConfigSource } from './broker-config.ts';
import { loadConfig } from './load.ts';
import { checkTopicConfig, describeTopicConfig, topicConfigOf } from './topic-config.ts';

function broker(overrides: Record<string, string>): BrokerConfig {
  return loadConfig({ overrides: new Map(Object.entries(overrides)) }).config;
}

const none = new Map<string, string>();

describe('topicConfigOf', () => {
  it("derives from the broker's defaults, hours as milliseconds", () => {
    const config = topicConfigOf(broker({}), none);
    expect(config['retention.ms']).toBe(604_800_000);
    expect(config['segment.ms']).toBe(604_800_000);
    expect(config['segment.bytes']).toBe(1_073_741_824);
    expect(config['max.message.bytes']).toBe(1_048_588);
    expect(config['cleanup.policy']).toEqual(['delete']);
    expect(config['flush.ms']).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    [{ 'log.retention.hours': '1' }, 3_600_000],
    [{ 'log.retention.hours': '1', 'log.retention.minutes': '2' }, 120_000],
    [{ 'log.retention.hours': '1', 'log.retention.minutes': '2', 'log.retention.ms': '3' }, 3],
    [{ 'log.retention.hours': '-1' }, -1],
  ])('takes retention in the order ms, minutes, hours: %o', (overrides, expected) => {
    expect(topicConfigOf(broker(overrides as Record<string, string>), none)['retention.ms']).toBe(expected);
  });

  it("lets the topic's own settings win", () => {
    const config = topicConfigOf(
      broker({ 'log.retention.ms': '5' }),
      new Map([
        ['retention.ms', '7'],
        ['cleanup.policy', 'compact,delete'],
        ['min.insync.replicas', '2'],
      ]),
    );
    expect(config['retention.ms']).toBe(7);
    expect(config['cleanup.policy']).toEqual(['compact', 'delete']);
    expect(config['min.insync.replicas']).toBe(2);
  });
});

describe('checkTopicConfig', () => {
  it('names the unknown and the bad', () => {
    expect(checkTopicConfig(new Map([['retention.ms', '1']]))).toBeNull();
    expect(checkTopicConfig(new Map([['retention', '1']]))).toEqual({
      name: 'retention',
      message: 'Unknown topic config name: retention',
    });
    expect(checkTopicConfig(new Map([['segment.bytes', '3']]))).toEqual({
      name: 'segment.bytes',
      message: 'Invalid value 3 for configuration segment.bytes: 3 is less than 14',
    });
  });
});

describe('describeTopicConfig', () => {
  it('shows source and stand-ins, in the unit of the topic', () => {
    const entries = new Map(
      describeTopicConfig(
        broker({ 'log.roll.ms': '5000', 'log.retention.hours': '2' }),
        new Map([['segment.bytes', '1000']]),
      ).map((entry) => [entry.name, entry]),
    );
    expect(entries.get('segment.bytes')).toMatchObject({
      value: '1000',
      source: ConfigSource.DYNAMIC_TOPIC,
      isDefault: false,
      synonyms: [
        { name: 'segment.bytes', value: '1000', source: ConfigSource.DYNAMIC_TOPIC },
        { name: 'log.segment.bytes', value: '1073741824', source: ConfigSource.DEFAULT },
      ],
    });
    expect(entries.get('segment.ms')).toMatchObject({
      value: '5000',
      source: ConfigSource.STATIC_BROKER,
      synonyms: [
        { name: 'log.roll.ms', value: '5000', source: ConfigSource.STATIC_BROKER },
        { name: 'log.roll.hours', value: '168', source: ConfigSource.DEFAULT },
      ],
    });
    expect(entries.get('retention.ms')).toMatchObject({
      value: '7200000',
      source: ConfigSource.DEFAULT,
      synonyms: [],
    });
    expect(entries.get('flush.messages')).toMatchObject({ value: '9223372036854775807', isDefault: true });
  });
});
