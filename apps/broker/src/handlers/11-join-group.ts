/**
 * JoinGroup: a member joins its group and waits for the next generation. Version 0 has no rebalance timeout; from
 * version 4 on a member is first given its id (MEMBER_ID_REQUIRED); version 5 knows static members; from version 7
 * the protocol may be absent; version 9 lets a static leader skip the assignment.
 */
import { apis } from '@seatlog/kafka-protocol';
import { randomUuidText } from '../groups/uuid.ts';
import { defineHandler } from './handler.ts';

const KNOWN_MEMBER_ID_FROM = 4;
const NULLABLE_PROTOCOL_FROM = 7;
const SKIPPED_ASSIGNMENT_FROM = 9;

export const joinGroup = defineHandler(
  apis.joinGroup,
  ({ groups, random }) =>
    (request, context, respond) => {
      const { apiVersion } = context;
      groups.ask(
        'join',
        {
          ...request,
          clientId: context.clientId ?? '',
          clientHost: `/${context.clientHost}`,
          uuid: randomUuidText(random),
          requiresKnownMemberId: apiVersion >= KNOWN_MEMBER_ID_FROM,
          supportsSkippingAssignment: apiVersion >= SKIPPED_ASSIGNMENT_FROM,
        },
        ({ type: _type, ...answer }) =>
          respond({
            ...answer,
            protocolName:
              apiVersion >= NULLABLE_PROTOCOL_FROM ? answer.protocolName : (answer.protocolName ?? ''),
          }),
      );
    },
);
