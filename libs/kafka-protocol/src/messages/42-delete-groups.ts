/**
 * Deletes empty groups.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, string } from '../schema/field.ts';

export const deleteGroups = defineApi({
  key: 42,
  name: 'DeleteGroups',
  versions: '0-2',
  flexible: '2+',
  request: {
    groupsNames: array('0+', 'string'),
  },
  response: {
    throttleTimeMs: int32('0+'),
    results: array('0+', {
      groupId: string('0+'),
      errorCode: int16('0+'),
    }),
  },
});
