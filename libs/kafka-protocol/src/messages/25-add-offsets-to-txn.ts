/**
 * Adds a group's offsets partition to a transaction.
 */
import { defineApi } from '../api.ts';
import { int16, int32, int64, string } from '../schema/field.ts';

export const addOffsetsToTxn = defineApi({
  key: 25,
  name: 'AddOffsetsToTxn',
  versions: '0-3',
  flexible: '3+',
  request: {
    transactionalId: string('0+'),
    producerId: int64('0+'),
    producerEpoch: int16('0+'),
    groupId: string('0+'),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
  },
});
