/**
 * LeaveGroup: members leave at once instead of waiting for their sessions to end. One member up to version 2, whose
 * error is the answer's; a list from version 3 on, each with its own, also by instance id alone.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

const LIST_FROM = 3;

export const leaveGroup = defineHandler(apis.leaveGroup, ({ groups }) => (request, context, respond) => {
  const hasList = context.apiVersion >= LIST_FROM;
  const members = hasList
    ? request.members
    : [{ memberId: request.memberId, groupInstanceId: null, reason: null }];
  groups.ask('leave', { groupId: request.groupId, members }, (answer) => {
    if (hasList) {
      respond({ errorCode: answer.errorCode, members: answer.members });
      return;
    }
    const own = answer.members[0]?.errorCode ?? ErrorCode.NONE;
    respond({ errorCode: answer.errorCode === ErrorCode.NONE ? own : answer.errorCode });
  });
});
