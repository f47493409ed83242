/**
 * Commits or aborts a transaction.
 */
import { defineApi } from '../api.ts';
import { boolean, int16, int32, int64, string } from '../schema/field.ts';

export const endTxn = defineApi({
  key: 26,
  name: 'EndTxn',
  versions: '0-3',
  flexible: '3+',
  request: {
    transactionalId: string('0+'),
    producerId: int64('0+'),
    producerEpoch: int16('0+'),
    committed: boolean('0+'),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
  },
});
