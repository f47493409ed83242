/**
 * Leaves a group: `memberId` up to version 2, several `members` from version 3 on.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, string } from '../schema/field.ts';

export const leaveGroup = defineApi({
  key: 13,
  name: 'LeaveGroup',
  versions: '0-5',
  flexible: '4+',
  request: {
    groupId: string('0+'),
    memberId: string('0-2'),
    members: array('3+', {
      memberId: string('3+'),
      groupInstanceId: string('3+', { nullable: '3+', default: null }),
      reason: string('5+', { nullable: '5+', default: null, ignorable: true }),
    }),
  },
  response: {
    throttleTimeMs: int32('1+', { ignorable: true }),
    errorCode: int16('0+'),
    members: array('3+', {
      memberId: string('3+'),
      groupInstanceId: string('3+', { nullable: '3+' }),
      errorCode: int16('3+'),
    }),
  },
});
