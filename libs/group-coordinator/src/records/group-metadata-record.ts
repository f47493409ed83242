/**
 * The record of one group, in Kafka's format: generation, protocol, members and what each was assigned. The key is
 * type 2; the value is version 3, which Kafka 4.3 writes for classic groups. Versions 0 to 4 are read.
 */
import { defineRecord, field } from '@seatlog/kafka-protocol';
import { copyOf } from '../byte-copy.ts';
import type { GroupSnapshot } from '../loading/group-snapshot.ts';
import { keyWithType, type OffsetsRecord, valueWithVersion } from './offsets-record.ts';

export const GROUP_METADATA_KEY_TYPE = 2;

const VALUE_VERSION = 3;

export const groupMetadataKey = defineRecord({
  name: 'GroupMetadataKey',
  apiKey: GROUP_METADATA_KEY_TYPE,
  versions: '0',
  fields: { group: field.string('0+') },
});

export const groupMetadataValue = defineRecord({
  name: 'GroupMetadataValue',
  apiKey: GROUP_METADATA_KEY_TYPE,
  versions: '0-4',
  flexible: '4+',
  fields: {
    protocolType: field.string('0+'),
    generation: field.int32('0+'),
    protocol: field.string('0+', { nullable: '0+' }),
    leader: field.string('0+', { nullable: '0+' }),
    currentStateTimestamp: field.int64('2+', { default: -1, ignorable: true }),
    members: field.array('0+', {
      memberId: field.string('0+'),
      groupInstanceId: field.string('3+', { nullable: '3+', default: null, ignorable: true }),
      clientId: field.string('0+'),
      clientHost: field.string('0+'),
      rebalanceTimeout: field.int32('1+', { default: -1, ignorable: true }),
      sessionTimeout: field.int32('0+'),
      subscription: field.bytes('0+'),
      assignment: field.bytes('0+'),
    }),
  },
});

export function groupMetadataRecord(groupId: string, snapshot: GroupSnapshot): OffsetsRecord {
  return {
    key: keyWithType(GROUP_METADATA_KEY_TYPE, groupMetadataKey, { group: groupId }),
    value: valueWithVersion(VALUE_VERSION, groupMetadataValue, {
      protocolType: snapshot.protocolType ?? '',
      generation: snapshot.generationId,
      protocol: snapshot.protocolName,
      leader: snapshot.leaderId,
      currentStateTimestamp: snapshot.stateTimestamp ?? -1,
      members: snapshot.members.map((member) => ({
        memberId: member.memberId,
        groupInstanceId: member.groupInstanceId,
        clientId: member.clientId,
        clientHost: member.clientHost,
        rebalanceTimeout: member.rebalanceTimeoutMs,
        sessionTimeout: member.sessionTimeoutMs,
        subscription: member.subscription,
        assignment: member.assignment,
      })),
    }),
  };
}

export function groupTombstone(groupId: string): OffsetsRecord {
  return { key: keyWithType(GROUP_METADATA_KEY_TYPE, groupMetadataKey, { group: groupId }), value: null };
}

export function decodeGroupSnapshot(body: Uint8Array, version: number): GroupSnapshot {
  const value = groupMetadataValue.decode(body, version);
  return {
    protocolType: value.protocolType === '' ? null : value.protocolType,
    generationId: value.generation,
    protocolName: value.protocol,
    leaderId: value.leader,
    stateTimestamp: value.currentStateTimestamp === -1 ? null : value.currentStateTimestamp,
    members: value.members.map((member) => ({
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      // Version 0 knows no rebalance timeout: as in a join of version 0, the session timeout stands in.
      rebalanceTimeoutMs: member.rebalanceTimeout === -1 ? member.sessionTimeout : member.rebalanceTimeout,
      sessionTimeoutMs: member.sessionTimeout,
      subscription: copyOf(member.subscription),
      assignment: copyOf(member.assignment),
    })),
  };
}
