/**
 * Watches the committed metadata, image by image: offsets and epochs only rise, and each partition is in a state that a
 * controller may bring it to.
 */
import {
  type ClusterImage,
  emptyImage,
  isActive,
  isLost,
  type PartitionImage,
} from '@seatlog/metadata-quorum';
import { TOPIC } from '../simulation-settings.ts';
import { violated } from './violation.ts';

export class MetadataWitness {
  #image: ClusterImage = emptyImage;
  readonly #changed: (partition: PartitionImage) => void;
  /** Whether the cluster keeps eligible leader replicas. */
  readonly #keepsEligible: boolean;

  constructor(keepsEligible: boolean, changed: (partition: PartitionImage) => void) {
    this.#keepsEligible = keepsEligible;
    this.#changed = changed;
  }

  get image(): ClusterImage {
    return this.#image;
  }

  committed(image: ClusterImage): void {
    const before = this.#image;
    if (image.lastOffset < before.lastOffset || image.lastEpoch < before.lastEpoch) {
      violated('metadata never rolls back', `from ${before.lastOffset} to ${image.lastOffset}`);
    }
    this.#image = image;
    for (const { id, epoch } of image.brokers.values()) {
      const known = before.brokers.get(id)?.epoch ?? -1;
      if (epoch < known) violated('broker epochs rise', `broker ${id}: from ${known} to ${epoch}`);
    }
    for (const partition of image.topics.get(TOPIC)?.partitions ?? []) {
      if (image.brokers !== before.brokers) this.#checkMembers(partition);
      const known = before.topics.get(TOPIC)?.partitions[partition.index];
      if (known === partition) continue;
      this.#check(known, partition);
      this.#changed(partition);
    }
  }

  /** R14: nobody who is fenced or stops is in an ISR, the last one aside, where no eligible leader replicas are kept. */
  #checkMembers(partition: PartitionImage): void {
    if (!this.#keepsEligible && partition.isr.length === 1) return;
    const gone = partition.isr.find((id) => !isActive(this.#image.brokers.get(id)));
    if (gone !== undefined) {
      violated('who is fenced or stops is in no ISR', `broker ${gone}: ${JSON.stringify(partition)}`);
    }
  }

  #check(before: PartitionImage | undefined, after: PartitionImage): void {
    const { brokers } = this.#image;
    const say = (promise: string): never => violated(promise, JSON.stringify({ before, after }));
    if (after.leader !== -1 && !after.isr.includes(after.leader)) say('a leader is in its ISR');
    if (after.isr.some((id) => !after.replicas.includes(id))) say('an ISR is a part of the replicas');
    if (after.elr.some((id) => after.isr.includes(id))) say('a replica is in the ISR or in the ELR');
    if (!this.#keepsEligible) {
      if (after.isr.length === 0) say('R14: without eligible leader replicas the last one stays in its ISR');
      if (after.elr.length + after.lastKnownElr.length > 0)
        say('where none are kept, none are eligible leaders');
    }
    if (before === undefined) return;
    if (after.partitionEpoch <= before.partitionEpoch) say('partition epochs rise');
    if (after.leaderEpoch < before.leaderEpoch) say('leader epochs rise');
    const isOther = after.leader !== before.leader;
    if (isOther && after.leaderEpoch === before.leaderEpoch) say('another leader has another epoch');
    if (isOther && after.leader !== -1 && !isActive(brokers.get(after.leader)))
      say('a leader that is elected is live');
    if (isOther && isLost(after, after.leader)) say('a leader that is elected is not lost');
    for (const id of after.isr) {
      if (before.isr.includes(id)) continue;
      if (!isActive(brokers.get(id))) say('who joins an ISR is live');
      if (isLost(after, id)) say('who joins an ISR is not lost');
    }
  }
}
