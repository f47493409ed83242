/** What a cluster that has been mended must come to, and what must hold once it has. */
import { TOPIC } from '../simulation-settings.ts';
import type { World } from '../world.ts';
import type { ClientWitness } from './client-witness.ts';
import type { BrokerLog } from '../disk/log-store.ts';
import { isSameBatch, isSound, type StoredBatch } from '../disk/stored-batch.ts';
import { violated } from './violation.ts';

/** Why it has not come to rest yet; null once it has. */
export function convergenceProblem({ plane, brokers }: World): string | null {
  const topic = plane.committedImage.topics.get(TOPIC);
  if (topic === undefined) return 'there is no topic';
  for (const { index, leader, isr, replicas, addingReplicas, removingReplicas } of topic.partitions) {
    if (addingReplicas.length + removingReplicas.length > 0) return `partition ${index} is being moved`;
    const leading = brokers[leader - 1]?.run?.partitions.get(index);
    if (leading?.replica.role !== 'leading') return `partition ${index}: broker ${leader} does not lead`;
    if (isr.length !== replicas.length)
      return `partition ${index}: the ISR is ${isr.join(',')} of ${replicas.join(',')}`;
    const end = leading.log.logEndOffset;
    for (const id of replicas) {
      const log = brokers[id - 1]?.run?.partitions.get(index)?.log;
      if (log === undefined) return `partition ${index}: broker ${id} does not host it`;
      if (log.logEndOffset !== end || log.highWatermark !== end || log.nextAppendOffset !== end) {
        return `partition ${index}: broker ${id} is at ${log.highWatermark} of ${log.logEndOffset}, the leader ends at ${end}`;
      }
    }
  }
  return null;
}

/** R3: all replicas are alike, to the byte; replaying a log gives the state that it lives with. */
export function lookAtRest({ plane, brokers, witness }: World, clients: ClientWitness): void {
  for (const { index, leader, replicas } of plane.committedImage.topics.get(TOPIC)?.partitions ?? []) {
    const model = brokers[leader - 1]?.disk.knownLog(index);
    if (model === undefined) continue;
    for (const id of replicas) {
      const log = brokers[id - 1]?.disk.knownLog(index);
      if (log === undefined) continue;
      const start = Math.max(log.logStartOffset, model.logStartOffset);
      const own = log.batches.slice(log.placeOf(start));
      const others = model.batches.slice(model.placeOf(start));
      for (const [place, batch] of others.entries()) {
        const other = own[place];
        if (other === undefined || !isSameBatch(other, batch)) {
          violated(
            'replicas are alike',
            `partition ${index}: broker ${id} differs from ${leader} at ${batch.baseOffset}`,
          );
        }
      }
      const problem = log.producersProblem();
      if (problem !== null)
        violated('replay gives the live state', `broker ${id}, partition ${index}: ${problem}`);
    }
    const logs = replicas.flatMap((id) => brokers[id - 1]?.disk.knownLog(index) ?? []);
    // Each deletes by itself what is old: before that the last one may have rotted.
    const kept = Math.max(...logs.map(({ logStartOffset }) => logStartOffset));
    const rotten = model.batches.find(
      (batch) => batch.baseOffset >= kept && !logs.some((log) => holds(log, batch)),
    );
    if (rotten !== undefined)
      violated('what is there is sound somewhere', `partition ${index}: ${rotten.baseOffset} is not`);
    const partition = witness.partitions[index];
    if (partition?.hasForgiven === false && partition.history.end !== model.logEndOffset) {
      violated(
        'all is committed at rest',
        `partition ${index}: ${partition.history.end} of ${model.logEndOffset}`,
      );
    }
  }
  clients.lookAtRest();
}

function holds(log: BrokerLog, batch: StoredBatch): boolean {
  const own = log.batches[log.placeOf(batch.baseOffset)];
  return own !== undefined && isSameBatch(own, batch) && isSound(own);
}
