/** The cluster as a client of one listener may see it: the live brokers that can be reached on that listener. */
import { type ClusterImage, liveBrokers } from '@seatlog/metadata-quorum';

export interface ReachableBroker {
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

/** By id. A broker without that listener is left out, as in Kafka. */
export function reachableBrokers(image: ClusterImage, listenerName: string): readonly ReachableBroker[] {
  return liveBrokers(image).flatMap(({ id, rack, endpoints }) =>
    endpoints.filter(({ name }) => name === listenerName).map(({ host, port }) => ({ id, host, port, rack })),
  );
}
