/**
 * Joins a consumer group and waits for the others; the leader learns all members and assigns. From version 4 on a
 * member without id is sent back with one (error 79); older clients must never see that error. Version 0 has no
 * rebalance timeout: the session timeout stands for it.
 */
import { defineApi } from '../api.ts';
import { array, boolean, bytes, int16, int32, string } from '../schema/field.ts';

export const joinGroup = defineApi({
  key: 11,
  name: 'JoinGroup',
  versions: '0-9',
  flexible: '6+',
  request: {
    groupId: string('0+'),
    sessionTimeoutMs: int32('0+'),
    rebalanceTimeoutMs: int32('1+', { default: -1, ignorable: true }),
    memberId: string('0+'),
    groupInstanceId: string('5+', { nullable: '5+', default: null }),
    protocolType: string('0+'),
    protocols: array('0+', {
      name: string('0+'),
      metadata: bytes('0+'),
    }),
    reason: string('8+', { nullable: '8+', default: null, ignorable: true }),
  },
  response: {
    throttleTimeMs: int32('2+', { ignorable: true }),
    errorCode: int16('0+'),
    generationId: int32('0+', { default: -1 }),
    protocolType: string('7+', { nullable: '7+', default: null, ignorable: true }),
    protocolName: string('0+', { nullable: '7+' }),
    leader: string('0+'),
    skipAssignment: boolean('9+', { default: false }),
    memberId: string('0+'),
    members: array('0+', {
      memberId: string('0+'),
      groupInstanceId: string('5+', { nullable: '5+', default: null, ignorable: true }),
      metadata: bytes('0+'),
    }),
  },
});
