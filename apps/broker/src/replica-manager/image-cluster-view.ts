import { type ClusterImage, emptyImage } from '@seatlog/metadata-quorum';
import { type ClusterView, type KnownBroker, UNKNOWN_BROKER_EPOCH } from '@seatlog/replication';

/** The cluster as replication sees it: the brokers of the image that is being applied or was applied last. */
export class ImageClusterView implements ClusterView {
  readonly #nodeId: number;
  image: ClusterImage = emptyImage;
  /** Of this process's own registration; undefined: what the image says of this node. */
  ownEpoch: (() => number) | undefined;

  constructor(nodeId: number) {
    this.#nodeId = nodeId;
  }

  get brokerEpoch(): number {
    return this.ownEpoch?.() ?? this.broker(this.#nodeId)?.epoch ?? UNKNOWN_BROKER_EPOCH;
  }

  broker(brokerId: number): KnownBroker | undefined {
    return this.image.brokers.get(brokerId);
  }
}
