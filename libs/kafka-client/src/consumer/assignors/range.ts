/**
 * Kafka's range assignor: topic by topic, neighbouring partitions to members in order, the first ones getting one more.
 * Topics with equal partition counts are dealt out alike, so that joins by key stay within a member.
 */
import { emptyAssignment, inStableOrder, wantedTopics, type Assignor } from './assignor.ts';

export const rangeAssignor: Assignor = {
  name: 'range',
  cooperative: false,
  assign(members, partitionCounts) {
    const assignment = emptyAssignment(members);
    for (const topic of wantedTopics(members)) {
      const count = partitionCounts.get(topic) ?? 0;
      const takers = inStableOrder(members.filter(({ topics }) => topics.includes(topic)));
      const share = Math.floor(count / takers.length);
      const withOneMore = count % takers.length;
      let partition = 0;
      takers.forEach(({ memberId }, index) => {
        const end = partition + share + (index < withOneMore ? 1 : 0);
        for (; partition < end; partition++) assignment.get(memberId)?.push({ topic, partition });
      });
    }
    return assignment;
  },
};
