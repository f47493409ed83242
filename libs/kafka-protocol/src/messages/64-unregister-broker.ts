/**
 * Forgets a broker that will not come back: its id is free for another one.
 */
import { defineApi } from '../api.ts';
import { int16, int32, string } from '../schema/field.ts';

export const unregisterBroker = defineApi({
  key: 64,
  name: 'UnregisterBroker',
  versions: '0',
  flexible: '0+',
  request: {
    brokerId: int32('0+'),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('0+'),
    errorMessage: string('0+', { nullable: '0+' }),
  },
});
