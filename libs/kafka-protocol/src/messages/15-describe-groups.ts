/**
 * State, protocol and members of groups.
 */
import { defineApi } from '../api.ts';
import { array, boolean, bytes, int16, int32, string } from '../schema/field.ts';

export const describeGroups = defineApi({
  key: 15,
  name: 'DescribeGroups',
  versions: '0-5',
  flexible: '5+',
  request: {
    groups: array('0+', 'string'),
    includeAuthorizedOperations: boolean('3+'),
  },
  response: {
    throttleTimeMs: int32('1+', { ignorable: true }),
    groups: array('0+', {
      errorCode: int16('0+'),
      groupId: string('0+'),
      groupState: string('0+'),
      protocolType: string('0+'),
      protocolData: string('0+'),
      members: array('0+', {
        memberId: string('0+'),
        groupInstanceId: string('4+', { nullable: '4+', default: null, ignorable: true }),
        clientId: string('0+'),
        clientHost: string('0+'),
        memberMetadata: bytes('0+'),
        memberAssignment: bytes('0+'),
      }),
      authorizedOperations: int32('3+', { default: -2147483648 }),
    }),
  },
});
