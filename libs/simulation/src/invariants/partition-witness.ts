/**
 * Watches one partition, after every change, for what must never happen. It looks only at what has changed since.
 *
 * - Two leaders in one epoch, or one that leads twice in it by two processes.
 * - The high watermark of a leader falls within its epoch.
 * - A leader commits what a member of the ISR does not hold, or another batch than was committed at that offset.
 * - A leader begins its epoch without something committed before: unless the controller elected it from outside of ISR
 *   and ELR, and it is a broker whose disk lost something, or unclean elections are allowed.
 * - A replica has below its own high watermark what was never committed, or what rotted before it came.
 * - The maximal ISR of a leader lacks a member of the ISR that the controller has for its epoch.
 */
import type { PartitionImage } from '@seatlog/metadata-quorum';
import type { IsrState } from '@seatlog/replication';
import type { HostedPartition } from '../broker/hosted-partition.ts';
import { isSameBatch, isSound, type StoredBatch } from '../disk/stored-batch.ts';
import type { World } from '../world.ts';
import { CommittedHistory } from './committed-history.ts';
import { violated } from './violation.ts';

/** What was seen last of one replica's process. */
interface Seen {
  readonly hosted: HostedPartition;
  generation: number;
  /** Compared up to here. */
  comparedTo: number;
  leaderEpoch: number;
  leaderHighWatermark: number;
  isrState: IsrState | null;
}

export class PartitionWitness {
  readonly index: number;
  readonly history = new CommittedHistory();
  readonly #world: () => World;
  readonly #seen = new Map<number, Seen>();
  /** By leader epoch: who leads, in which process. */
  readonly #leaders = new Map<number, string>();
  /** Epochs that began with an election from outside of ISR and ELR. */
  readonly #uncleanEpochs: number[] = [];
  #committedImage: PartitionImage | null = null;
  /** The epoch of the last leader that began without what was committed; -1 if all is there. */
  #forgivenEpoch = -1;
  elections = 0;
  /** Records were deleted, and with them what could tell whether replicas know the same of producers, as in Kafka. */
  hasForgottenProducers = false;

  constructor(index: number, world: () => World) {
    this.index = index;
    this.#world = world;
  }

  get hasForgiven(): boolean {
    return this.#forgivenEpoch >= 0;
  }

  look(hosted: HostedPartition): void {
    const { log, replica, run } = hosted;
    let seen = this.#seen.get(run.owner.id);
    if (seen?.hosted !== hosted) {
      seen = {
        hosted,
        generation: log.generation,
        comparedTo: log.logStartOffset,
        leaderEpoch: -1,
        leaderHighWatermark: 0,
        isrState: null,
      };
      this.#seen.set(run.owner.id, seen);
    }
    if (seen.generation !== log.generation) {
      seen.generation = log.generation;
      seen.comparedTo = log.logStartOffset;
    }
    const { leader } = replica;
    if (leader !== null) this.#lookAtLeader(hosted, seen, leader.leaderEpoch, leader.highWatermark);
    if (log.highWatermark > seen.comparedTo) this.#compare(hosted, seen, leader?.leaderEpoch ?? -1);
    if (leader !== null && leader.isrState !== seen.isrState) {
      seen.isrState = leader.isrState;
      this.#checkMaximalIsr(hosted);
    }
  }

  #beganToLead(hosted: HostedPartition, epoch: number): void {
    const { run, log } = hosted;
    this.elections += 1;
    this.#noteLeader(hosted, epoch);
    const missing = this.history.missingFrom(log, epoch);
    // One that learns late that it led before a loss that is forgiven commits nothing that counts.
    if (missing !== null && epoch >= this.#forgivenEpoch) this.#judgeLoss(hosted, epoch, missing);
    run.owner.disk.mended(this.index);
  }

  #judgeLoss({ run }: HostedPartition, epoch: number, missing: { batch: StoredBatch; epoch: number }): void {
    // By the epoch in which it was appended: one that is elected uncleanly brings along a high watermark of a history
    // that was lost before.
    const isUnclean = this.#uncleanEpochs.some(
      (unclean) => unclean > missing.batch.leaderEpoch && unclean <= epoch,
    );
    const { uncleanElection, eligibleLeaderReplicas } = this.#world().settings;
    const isDamaged = run.owner.disk.isDamaged(this.index);
    const mayLose = isUnclean && (uncleanElection || isDamaged || this.hasForgiven);
    // Without eligible leader replicas the last one leads again, with whatever its disk has left, and nobody is told.
    if (!mayLose && !(isDamaged && !eligibleLeaderReplicas)) {
      violated(
        'what is committed is on every later leader',
        `broker ${run.owner.id} leads partition ${this.index} in epoch ${epoch} without offset ` +
          `${missing.batch.baseOffset}, committed in epoch ${missing.epoch}`,
      );
    }
    this.history.forgiveFrom(missing.batch.baseOffset);
    this.#forgivenEpoch = epoch;
  }

  /** The controller's committed state is another. */
  imageCommitted(image: PartitionImage): void {
    const before = this.#committedImage;
    this.#committedImage = image;
    const { queue } = this.#world();
    queue.trace.tell(queue.now, image.leader, () => {
      const { leader, leaderEpoch, partitionEpoch, isr, elr, lastKnownElr } = image;
      return `LEADS partition ${this.index}: epoch ${leaderEpoch}.${partitionEpoch} leader ${leader} isr ${isr} elr ${elr} last ${lastKnownElr}`;
    });
    if (before !== null && image.leaderEpoch > before.leaderEpoch && image.leader !== -1) {
      // The proposal that ends a move brings in who may lead at once.
      const mayLead = [
        ...before.isr,
        ...before.elr,
        ...(image.leaderRecoveryState === 1 ? [] : before.addingReplicas),
      ];
      const isClean = mayLead.includes(image.leader);
      if (!isClean) this.#noteUnclean(before, image);
    }
    for (const { hosted } of this.#seen.values()) {
      const { leader } = hosted.replica;
      if (
        leader !== null &&
        leader.leaderEpoch === image.leaderEpoch &&
        hosted.run.owner.run === hosted.run
      ) {
        this.#checkMaximalIsr(hosted);
      }
    }
    for (const id of image.isr) {
      // What one that is elected into it holds is looked at when it begins to lead.
      if (before === null || before.isr.includes(id) || id === image.leader) continue;
      this.#checkHolds(id, this.history.end, 'joins the ISR');
      this.#noteMended(id);
    }
  }

  processEnds(brokerId: number): void {
    this.#seen.delete(brokerId);
  }

  /** It joined by what its present process fetched, and not by what an earlier one held. */
  #noteMended(brokerId: number): void {
    const { brokers, witness } = this.#world();
    const broker = brokers[brokerId - 1];
    const registered = witness.metadata.image.brokers.get(brokerId)?.epoch;
    if (broker?.run?.brokerEpoch === registered && this.#holdsAll(brokerId)) broker?.disk.mended(this.index);
  }

  #lookAtLeader(hosted: HostedPartition, seen: Seen, epoch: number, highWatermark: number): void {
    if (seen.leaderEpoch !== epoch) {
      // The epoch may rise under the same leader, which is an election as well.
      this.#beganToLead(hosted, epoch);
      seen.leaderEpoch = epoch;
      // After a loss that is forgiven its log is the history; what it had committed in a former epoch is looked at anew.
      seen.comparedTo = hosted.log.logStartOffset;
    } else if (highWatermark < seen.leaderHighWatermark) {
      violated(
        'the high watermark of a leader never falls within its epoch',
        `broker ${hosted.run.owner.id}, epoch ${epoch}: from ${seen.leaderHighWatermark} to ${highWatermark}`,
      );
    }
    seen.leaderHighWatermark = highWatermark;
  }

  #noteLeader({ run }: HostedPartition, epoch: number): void {
    const who = `broker ${run.owner.id}, process ${run.process.incarnation}`;
    const known = this.#leaders.get(epoch);
    if (known !== undefined && known !== who) {
      violated('one leader per epoch', `partition ${this.index}, epoch ${epoch}: ${known} and ${who}`);
    }
    this.#leaders.set(epoch, who);
  }

  #noteUnclean(before: PartitionImage, image: PartitionImage): void {
    this.#uncleanEpochs.push(image.leaderEpoch);
    // Who led before may not know yet, and commit what is lost from the beginning.
    const isLost = before.isr.length + before.elr.length + before.lastKnownElr.length === 0;
    if (isLost || this.#world().settings.uncleanElection) this.#forgivenEpoch = image.leaderEpoch;
    if (image.leaderRecoveryState !== 1) {
      violated(
        'an election from outside of ISR and ELR is told',
        `partition ${this.index}: ${JSON.stringify(image)}`,
      );
    }
  }

  #compare(hosted: HostedPartition, seen: Seen, leaderEpoch: number): void {
    const { log } = hosted;
    const { history } = this;
    const isStale = this.hasForgiven && (leaderEpoch < this.#forgivenEpoch || leaderEpoch === -1);
    const before = history.end;
    for (let place = log.placeOf(seen.comparedTo); place < log.batches.length; place++) {
      const batch = log.batches[place] as StoredBatch;
      if (batch.lastOffset >= log.highWatermark) break;
      this.#checkSound(hosted, batch);
      const known = history.at(batch.baseOffset);
      if (known !== undefined && isSameBatch(known, batch)) continue;
      if (isStale) break;
      // Where a loss was forgiven a log may begin behind all that is left.
      const isNext = batch.baseOffset === history.end || (this.hasForgiven && batch.baseOffset > history.end);
      if (known !== undefined || leaderEpoch === -1 || !isNext) {
        violated(
          leaderEpoch === -1
            ? 'a replica has below its high watermark only what is committed'
            : 'one history is committed',
          `broker ${hosted.run.owner.id}, partition ${this.index}, offset ${batch.baseOffset} of epoch ${batch.leaderEpoch}` +
            ` (as ${leaderEpoch === -1 ? 'follower' : `leader of ${leaderEpoch}`}); committed to ${history.end}`,
        );
      }
      history.commit(batch, leaderEpoch);
    }
    seen.comparedTo = log.highWatermark;
    const { queue } = this.#world();
    queue.trace.note(queue.now, 'high watermark', hosted.run.owner.id, this.index, log.highWatermark);
    queue.trace.tell(
      queue.now,
      hosted.run.owner.id,
      () => `partition ${this.index} high watermark ${log.highWatermark}`,
    );
    if (history.end > before) this.#checkIsrHolds(leaderEpoch);
  }

  /** Its own disk may rot; what it takes from others it has looked at. */
  #checkSound({ run }: HostedPartition, batch: StoredBatch): void {
    const { disk, id } = run.owner;
    const mayRot = this.#world().settings.trustsWhatWasSynced;
    if (!mayRot || isSound(batch) || disk.hasRot(this.index)) return;
    violated(
      'a replica takes nothing that rotted on the way',
      `broker ${id}, partition ${this.index}, offset ${batch.baseOffset}`,
    );
  }

  /** All of the ISR hold what was just committed: it is what an acknowledgement means. */
  #checkIsrHolds(leaderEpoch: number): void {
    const image = this.#committedImage;
    if (image === null || image.leaderEpoch !== leaderEpoch) return;
    for (const id of image.isr) this.#checkHolds(id, this.history.end, 'is in the ISR');
  }

  #checkHolds(brokerId: number, end: number, how: string): void {
    const disk = this.#world().brokers[brokerId - 1]?.disk;
    if (disk === undefined || disk.isDamaged(this.index) || this.#holdsAll(brokerId)) return;
    violated(
      'every member of the ISR holds what is committed',
      `broker ${brokerId} ${how} of partition ${this.index} and ends at ${disk.knownLog(this.index)?.logEndOffset ?? 0}; ` +
        `committed to ${end}`,
    );
  }

  /** Logs that have the same batch somewhere have the same ones before it: the last one tells. */
  #holdsAll(brokerId: number): boolean {
    const { last, end } = this.history;
    const log = this.#world().brokers[brokerId - 1]?.disk.knownLog(this.index);
    if (last === undefined) return true;
    if (log === undefined) return false;
    if (log.logStartOffset >= end) return true;
    const own = log.batches[log.placeOf(last.baseOffset)];
    return own !== undefined && isSameBatch(own, last);
  }

  #checkMaximalIsr({ replica, run }: HostedPartition): void {
    const image = this.#committedImage;
    const { leader } = replica;
    if (image === null || leader === null || leader.leaderEpoch !== image.leaderEpoch) return;
    const missing = image.isr.filter((id) => !leader.maximalIsr.includes(id));
    if (missing.length === 0 || image.leader !== run.owner.id) return;
    violated(
      'the maximal ISR holds the ISR of the controller',
      `broker ${run.owner.id}, partition ${this.index}: ${leader.maximalIsr} lacks ${missing}`,
    );
  }
}
