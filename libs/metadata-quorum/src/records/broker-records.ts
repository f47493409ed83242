/** Kafka's metadata records about brokers and controllers, up to the versions of metadata level 29. */
import { defineRecord, field } from '@seatlog/kafka-protocol';

const { array, boolean, int16, int32, int64, int8, string, uint16, uuid } = field;

const endpoint = {
  name: string('0+'),
  host: string('0+'),
  port: uint16('0+'),
  securityProtocol: int16('0+'),
};

const feature = {
  name: string('0+'),
  minSupportedVersion: int16('0+'),
  maxSupportedVersion: int16('0+'),
};

export const registerBrokerRecord = defineRecord({
  name: 'RegisterBrokerRecord',
  apiKey: 0,
  versions: '0-3',
  flexible: '0+',
  fields: {
    brokerId: int32('0+'),
    isMigratingZkBroker: boolean('2+', { default: false }),
    incarnationId: uuid('0+'),
    brokerEpoch: int64('0+'),
    endPoints: array('0+', endpoint),
    features: array('0+', feature),
    rack: string('0+', { nullable: '0+' }),
    fenced: boolean('0+', { default: true }),
    inControlledShutdown: boolean('1+', { default: false }),
    logDirs: array('3+', 'uuid', { tag: 0 }),
  },
});

export const unregisterBrokerRecord = defineRecord({
  name: 'UnregisterBrokerRecord',
  apiKey: 1,
  versions: '0',
  flexible: '0+',
  fields: { brokerId: int32('0+'), brokerEpoch: int64('0+') },
});

export const fenceBrokerRecord = defineRecord({
  name: 'FenceBrokerRecord',
  apiKey: 7,
  versions: '0',
  flexible: '0+',
  fields: { id: int32('0+'), epoch: int64('0+') },
});

export const unfenceBrokerRecord = defineRecord({
  name: 'UnfenceBrokerRecord',
  apiKey: 8,
  versions: '0',
  flexible: '0+',
  fields: { id: int32('0+'), epoch: int64('0+') },
});

export const brokerRegistrationChangeRecord = defineRecord({
  name: 'BrokerRegistrationChangeRecord',
  apiKey: 17,
  versions: '0-2',
  flexible: '0+',
  fields: {
    brokerId: int32('0+'),
    brokerEpoch: int64('0+'),
    fenced: int8('0+', { tag: 0 }),
    inControlledShutdown: int8('1+', { tag: 1 }),
    logDirs: array('2+', 'uuid', { tag: 2 }),
  },
});

export const registerControllerRecord = defineRecord({
  name: 'RegisterControllerRecord',
  apiKey: 27,
  versions: '0',
  flexible: '0+',
  fields: {
    controllerId: int32('0+'),
    incarnationId: uuid('0+'),
    zkMigrationReady: boolean('0+'),
    endPoints: array('0+', endpoint),
    features: array('0+', feature),
  },
});
