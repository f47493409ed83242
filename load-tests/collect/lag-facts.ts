/** How far groups have read: the end of each partition less what was committed for it. */
import { refundEvents, reservationEvents } from '@seatlog/booking';
import type { Admin, KafkaClient } from '@seatlog/kafka-client';
import type { LagFact } from '../audit/facts.ts';
import { extentsOf } from './log-facts.ts';

export async function collectLags(client: KafkaClient): Promise<readonly LagFact[]> {
  const admin = client.admin();
  try {
    const groups = await offsetsOfGroups(admin);
    const lags: LagFact[] = [];
    for (const topic of [reservationEvents.name, refundEvents.name]) {
      const extents = await extentsOf(admin, topic);
      const readers = groups.filter(({ offsets }) =>
        offsets.some((one) => one.topic === topic && one.offset !== null),
      );
      // Records that no group has read anything of are behind by all of them.
      const groupsOfTopic = readers.length > 0 ? readers : [{ group: '(no group)', offsets: [] }];
      for (const { group, offsets } of groupsOfTopic) {
        for (const { partition, first, end } of extents) {
          const committed = offsets.find((one) => one.topic === topic && one.partition === partition)?.offset;
          lags.push({ group, topic, partition, lag: end - (committed ?? first) });
        }
      }
    }
    return lags;
  } finally {
    await admin.close();
  }
}

async function offsetsOfGroups(admin: Admin) {
  const groups = await admin.listGroups();
  return Promise.all(
    groups.map(async ({ groupId }) => ({ group: groupId, offsets: await admin.fetchOffsets(groupId) })),
  );
}
