/** Who is told of every change in a simulated cluster, and passes it to whoever watches that part of it. */
import type { ClusterImage } from '@seatlog/metadata-quorum';
import type { LeaderMetric, ReplicaRole } from '@seatlog/replication';
import type { HostedPartition } from '../broker/hosted-partition.ts';
import type { SimulatedBroker } from '../broker/simulated-broker.ts';
import type { SimulationSettings } from '../simulation-settings.ts';
import type { World } from '../world.ts';
import { MetadataWitness } from './metadata-witness.ts';
import { PartitionWitness } from './partition-witness.ts';

export class ClusterWitness {
  readonly partitions: readonly PartitionWitness[];
  readonly metadata: MetadataWitness;
  readonly counts = new Map<string, number>();
  readonly #world: () => World;

  constructor({ partitions, eligibleLeaderReplicas }: SimulationSettings, world: () => World) {
    this.#world = world;
    this.partitions = Array.from({ length: partitions }, (_, index) => new PartitionWitness(index, world));
    this.metadata = new MetadataWitness(eligibleLeaderReplicas, (partition) =>
      this.partitions[partition.index]?.imageCommitted(partition),
    );
  }

  get hasForgiven(): boolean {
    return this.partitions.some((partition) => partition.hasForgiven);
  }

  look(hosted: HostedPartition): void {
    this.partitions[hosted.index]?.look(hosted);
  }

  roleChanged(hosted: HostedPartition, role: ReplicaRole): void {
    const { queue } = this.#world();
    queue.trace.note(queue.now, role, hosted.run.owner.id, hosted.index, hosted.replica.leaderEpoch);
  }

  partitionDropped(partition: number, brokerId: number): void {
    this.partitions[partition]?.processEnds(brokerId);
  }

  processEnds(broker: SimulatedBroker): void {
    for (const partition of this.partitions) partition.processEnds(broker.id);
  }

  logRestarted(partition: number): void {
    const witness = this.partitions[partition];
    if (witness !== undefined) witness.hasForgottenProducers = true;
  }

  metadataCommitted(image: ClusterImage): void {
    const { queue } = this.#world();
    queue.trace.note(queue.now, 'metadata', 0, image.lastOffset, image.lastEpoch);
    this.metadata.committed(image);
  }

  counted(metric: LeaderMetric): void {
    this.counts.set(metric, (this.counts.get(metric) ?? 0) + 1);
  }
}
