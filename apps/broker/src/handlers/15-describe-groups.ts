/**
 * DescribeGroups: state, protocol and members of groups that this broker coordinates. A group that is not there is
 * described as Dead, without an error, as these versions have it.
 */
import { apis, ErrorCode, type ResponseInput } from '@seatlog/kafka-protocol';
import type { GroupService } from '../groups/group-service.ts';
import { defineHandler } from './handler.ts';

type DescribedGroup = ResponseInput<typeof apis.describeGroups>['groups'][number];

/** READ, DELETE, DESCRIBE, and DESCRIBE_CONFIGS and ALTER_CONFIGS, by Kafka's numbers: without authorization all may do all. */
const ALL_GROUP_OPERATIONS = (1 << 3) | (1 << 6) | (1 << 8) | (1 << 10) | (1 << 11);

export const describeGroups = defineHandler(
  apis.describeGroups,
  ({ groups }) =>
    (request, _context, respond) => {
      const operations = request.includeAuthorizedOperations
        ? { authorizedOperations: ALL_GROUP_OPERATIONS }
        : {};
      respond({
        groups: request.groups.map((groupId) => {
          const described = describe(groups, groupId);
          return described.errorCode === ErrorCode.NONE ? { ...described, ...operations } : described;
        }),
      });
    },
);

function describe(groups: GroupService, groupId: string): DescribedGroup {
  const { errorCode, group } = groups.describe(groupId);
  const isMissing = errorCode === ErrorCode.NONE && group === null;
  return {
    errorCode,
    groupId,
    groupState: group?.groupState ?? (isMissing ? 'Dead' : ''),
    protocolType: group?.protocolType ?? '',
    protocolData: group?.protocolData ?? '',
    members: group?.members ?? [],
  };
}
