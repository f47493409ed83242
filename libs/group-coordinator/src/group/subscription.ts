/** Which topics the members of a consumer group read, from the metadata that they join with. */
import { CONSUMER_PROTOCOL_TYPE, decodeSubscription, ProtocolError } from '@seatlog/kafka-protocol';
import type { ClassicGroup } from './classic-group.ts';
import { metadataFor } from './group-member.ts';

export function usesConsumerProtocol(group: ClassicGroup): boolean {
  return group.protocolType === CONSUMER_PROTOCOL_TYPE;
}

/** Null: not known, because the group is no consumer group or a member's metadata cannot be read. */
export function subscribedTopics(group: ClassicGroup): ReadonlySet<string> | null {
  if (!usesConsumerProtocol(group)) return null;
  const topics = new Set<string>();
  try {
    for (const member of group.members.values()) {
      for (const topic of decodeSubscription(metadataFor(member, group.protocolName)).topics) {
        topics.add(topic);
      }
    }
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
  return topics;
}
