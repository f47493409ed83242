/**
 * A broker asks the controller for a block of producer ids, which is its own for ever.
 */
import { defineApi } from '../api.ts';
import { int16, int32, int64 } from '../schema/field.ts';

export const allocateProducerIds = defineApi({
  key: 67,
  name: 'AllocateProducerIds',
  versions: '0',
  flexible: '0+',
  request: {
    brokerId: int32('0+'),
    brokerEpoch: int64('0+', { default: -1 }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    producerIdStart: int64('0+'),
    producerIdLen: int32('0+'),
  },
});
