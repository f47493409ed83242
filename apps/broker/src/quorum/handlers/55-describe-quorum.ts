/** DescribeQuorum 0-2 on a controller: the leader tells how far voters and observers have come; others say who leads. */
import { apis } from '@seatlog/kafka-protocol';
import { defineControllerHandler } from '../../handlers/handler.ts';

export const describeQuorum = defineControllerHandler(
  apis.describeQuorum,
  ({ quorum }) =>
    (request, context, respond) => {
      respond(quorum.describe(request, context.apiVersion));
    },
);
