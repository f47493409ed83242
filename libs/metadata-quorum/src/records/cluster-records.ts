/** Kafka's metadata records about configs, features, producer ids, and the log itself. */
import { defineRecord, field } from '@seatlog/kafka-protocol';

const { int16, int32, int64, int8, string } = field;

export const configRecord = defineRecord({
  name: 'ConfigRecord',
  apiKey: 4,
  versions: '0',
  flexible: '0+',
  fields: {
    resourceType: int8('0+'),
    resourceName: string('0+'),
    name: string('0+'),
    value: string('0+', { nullable: '0+' }),
  },
});

export const featureLevelRecord = defineRecord({
  name: 'FeatureLevelRecord',
  apiKey: 12,
  versions: '0',
  flexible: '0+',
  fields: { name: string('0+'), featureLevel: int16('0+') },
});

export const producerIdsRecord = defineRecord({
  name: 'ProducerIdsRecord',
  apiKey: 15,
  versions: '0',
  flexible: '0+',
  fields: {
    brokerId: int32('0+'),
    brokerEpoch: int64('0+', { default: -1 }),
    nextProducerId: int64('0+'),
  },
});

export const noOpRecord = defineRecord({
  name: 'NoOpRecord',
  apiKey: 20,
  versions: '0',
  flexible: '0+',
  fields: {},
});

export const beginTransactionRecord = defineRecord({
  name: 'BeginTransactionRecord',
  apiKey: 23,
  versions: '0',
  flexible: '0+',
  fields: { name: string('0+', { nullable: '0+', default: null, tag: 0 }) },
});

export const endTransactionRecord = defineRecord({
  name: 'EndTransactionRecord',
  apiKey: 24,
  versions: '0',
  flexible: '0+',
  fields: {},
});

export const abortTransactionRecord = defineRecord({
  name: 'AbortTransactionRecord',
  apiKey: 25,
  versions: '0',
  flexible: '0+',
  fields: { reason: string('0+', { nullable: '0+', default: null, tag: 0 }) },
});
