/**
 * SyncGroup: a member asks for what it was assigned and waits; the leader brings the assignments of all. From version
 * 5 on the protocol is stated both ways: it must be there, and be the one in force.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

const PROTOCOL_FROM = 5;

export const syncGroup = defineHandler(apis.syncGroup, ({ groups }) => (request, { apiVersion }, respond) => {
  const isStated = request.protocolType !== null && request.protocolName !== null;
  if (apiVersion >= PROTOCOL_FROM && !isStated) {
    respond({ errorCode: ErrorCode.INCONSISTENT_GROUP_PROTOCOL, assignment: new Uint8Array(0) });
    return;
  }
  groups.ask('sync', request, ({ type: _type, ...answer }) => respond(answer));
});
