/**
 * Hands out a producer id and epoch. From version 3 on a client may name the pair it has; clients without one send −1
 * and −1, but some 0 and 0.
 */
import { defineApi } from '../api.ts';
import { int16, int32, int64, string } from '../schema/field.ts';

export const initProducerId = defineApi({
  key: 22,
  name: 'InitProducerId',
  versions: '0-4',
  flexible: '2+',
  request: {
    transactionalId: string('0+', { nullable: '0+' }),
    transactionTimeoutMs: int32('0+'),
    producerId: int64('3+', { default: -1 }),
    producerEpoch: int16('3+', { default: -1 }),
  },
  response: {
    throttleTimeMs: int32('0+', { ignorable: true }),
    errorCode: int16('0+'),
    producerId: int64('0+', { default: -1 }),
    producerEpoch: int16('0+'),
  },
});
