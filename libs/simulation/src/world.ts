/** What all parts of one simulated cluster share. */
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedBroker } from './broker/simulated-broker.ts';
import type { MetadataPlane } from './controller/metadata-plane.ts';
import type { RotOnTheWay } from './faults/rot-on-the-way.ts';
import type { ClusterWitness } from './invariants/cluster-witness.ts';
import type { SimulatedNetwork } from './network/simulated-network.ts';
import type { EventQueue } from './schedule/event-queue.ts';
import type { SimulationSettings } from './simulation-settings.ts';

export interface World {
  readonly settings: SimulationSettings;
  readonly queue: EventQueue;
  readonly random: SeededRandom;
  readonly network: SimulatedNetwork;
  readonly rotOnTheWay: RotOnTheWay;
  readonly witness: ClusterWitness;
  readonly plane: MetadataPlane;
  readonly brokers: readonly SimulatedBroker[];
}
