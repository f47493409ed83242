/** Kafka's round-robin assignor: all partitions of all topics in order, one to each member in turn that wants the topic. */
import { emptyAssignment, inStableOrder, wantedTopics, type Assignor } from './assignor.ts';

export const roundRobinAssignor: Assignor = {
  name: 'roundrobin',
  cooperative: false,
  assign(members, partitionCounts) {
    const assignment = emptyAssignment(members);
    const order = inStableOrder(members);
    let turn = 0;
    for (const topic of wantedTopics(members)) {
      for (let partition = 0; partition < (partitionCounts.get(topic) ?? 0); partition++) {
        while (order[turn % order.length]?.topics.includes(topic) === false) turn += 1;
        const taker = order[turn % order.length];
        turn += 1;
        if (taker !== undefined) assignment.get(taker.memberId)?.push({ topic, partition });
      }
    }
    return assignment;
  },
};
