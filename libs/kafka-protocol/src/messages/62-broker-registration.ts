/**
 * A broker's process comes to the controller; it gets the broker epoch that all its later requests carry.
 * `previousBrokerEpoch` is what the clean-stop marker of the process before it says, -1 without one.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int64, string, uint16, uuid } from '../schema/field.ts';

export const brokerRegistration = defineApi({
  key: 62,
  name: 'BrokerRegistration',
  versions: '0-4',
  flexible: '0+',
  request: {
    brokerId: int32('0+'),
    clusterId: string('0+'),
    incarnationId: uuid('0+'),
    listeners: array('0+', {
      name: string('0+'),
      host: string('0+'),
      port: uint16('0+'),
      securityProtocol: int16('0+'),
    }),
    features: array('0+', {
      name: string('0+'),
      minSupportedVersion: int16('0+'),
      maxSupportedVersion: int16('0+'),
    }),
    rack: string('0+', { nullable: '0+' }),
    isMigratingZkBroker: boolean('1+', { default: false }),
    logDirs: array('2+', 'uuid', { ignorable: true }),
    previousBrokerEpoch: int64('3+', { default: -1, ignorable: true }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    brokerEpoch: int64('0+', { default: -1 }),
  },
});
