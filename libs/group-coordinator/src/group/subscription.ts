/** Which topics the members of a consumer group read, from the metadata that they join with. */
import { ByteReader, defineRecord, field, ProtocolError } from '@seatlog/kafka-protocol';
import type { ClassicGroup } from './classic-group.ts';
import { metadataFor } from './group-member.ts';

/** The head of Kafka's ConsumerProtocolSubscription, the same in all its versions; the rest is not needed. */
const subscription = defineRecord({
  name: 'ConsumerProtocolSubscription',
  versions: '0',
  fields: { topics: field.array('0+', 'string') },
});

const CONSUMER_PROTOCOL_TYPE = 'consumer';

export function usesConsumerProtocol(group: ClassicGroup): boolean {
  return group.protocolType === CONSUMER_PROTOCOL_TYPE;
}

/** Null: not known, because the group is no consumer group or a member's metadata cannot be read. */
export function subscribedTopics(group: ClassicGroup): ReadonlySet<string> | null {
  if (!usesConsumerProtocol(group)) return null;
  const topics = new Set<string>();
  try {
    for (const member of group.members.values()) {
      const reader = new ByteReader(metadataFor(member, group.protocolName));
      reader.int16();
      for (const topic of subscription.read(reader, 0).topics) topics.add(topic);
    }
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
  return topics;
}
