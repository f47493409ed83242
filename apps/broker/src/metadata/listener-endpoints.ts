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

/**
 * The broker that clients take for the controller. They send administration there, and any broker passes it on; the one
 * that is asked will do. -1 while clients can reach none.
 */
export function controllerFor(nodeId: number, brokers: readonly ReachableBroker[]): number {
  return brokers.some(({ id }) => id === nodeId) ? nodeId : (brokers[0]?.id ?? -1);
}
