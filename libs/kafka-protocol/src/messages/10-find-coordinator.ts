/**
 * Finds the broker that coordinates a group (key type 0) or a transactional id (1). Version 4 asks for several keys
 * at once and answers in `coordinators`; before it one key, answered in the fields beside it.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int8, string } from '../schema/field.ts';

export const findCoordinator = defineApi({
  key: 10,
  name: 'FindCoordinator',
  versions: '0-4',
  flexible: '3+',
  request: {
    key: string('0-3'),
    keyType: int8('1+', { default: 0 }),
    coordinatorKeys: array('4+', 'string'),
  },
  response: {
    throttleTimeMs: int32('1+', { ignorable: true }),
    errorCode: int16('0-3'),
    errorMessage: string('1-3', { nullable: '1-3', ignorable: true }),
    nodeId: int32('0-3'),
    host: string('0-3'),
    port: int32('0-3'),
    coordinators: array('4+', {
      key: string('4+'),
      nodeId: int32('4+'),
      host: string('4+'),
      port: int32('4+'),
      errorCode: int16('4+'),
      errorMessage: string('4+', { nullable: '4+', ignorable: true }),
    }),
  },
});
