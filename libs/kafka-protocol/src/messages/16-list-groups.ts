/**
 * Groups that this broker coordinates, filtered by state and type.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, string } from '../schema/field.ts';

export const listGroups = defineApi({
  key: 16,
  name: 'ListGroups',
  versions: '0-5',
  flexible: '3+',
  request: {
    statesFilter: array('4+', 'string'),
    typesFilter: array('5+', 'string'),
  },
  response: {
    throttleTimeMs: int32('1+', { ignorable: true }),
    errorCode: int16('0+'),
    groups: array('0+', {
      groupId: string('0+'),
      protocolType: string('0+'),
      groupState: string('4+', { ignorable: true }),
      groupType: string('5+', { ignorable: true }),
    }),
  },
});
