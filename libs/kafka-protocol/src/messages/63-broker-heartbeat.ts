/**
 * A broker tells the controller that it is there and how far its metadata is, asks to be unfenced or to stop, and is told
 * whether it may.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int64 } from '../schema/field.ts';

export const brokerHeartbeat = defineApi({
  key: 63,
  name: 'BrokerHeartbeat',
  versions: '0-2',
  flexible: '0+',
  request: {
    brokerId: int32('0+'),
    brokerEpoch: int64('0+', { default: -1 }),
    currentMetadataOffset: int64('0+'),
    wantFence: boolean('0+'),
    wantShutDown: boolean('0+'),
    offlineLogDirs: array('1+', 'uuid', { tag: 0 }),
    cordonedLogDirs: array('2+', 'uuid', { tag: 1, nullable: '2+', default: null }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    isCaughtUp: boolean('0+', { default: false }),
    isFenced: boolean('0+', { default: true }),
    shouldShutDown: boolean('0+'),
  },
});
