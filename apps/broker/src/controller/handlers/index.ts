/** What the active controller serves on a controller's listener, besides the quorum's own APIs. One line per API, by key. */
import type { HandlerDefinition } from '../../handlers/handler.ts';
import type { ControllerServices } from '../../quorum/controller-services.ts';
import { describeQuorum } from '../../quorum/handlers/55-describe-quorum.ts';
import { administrationHandlers } from '../administration-handlers.ts';
import { alterPartition } from './56-alter-partition.ts';
import { envelope } from './58-envelope.ts';
import { brokerRegistration } from './62-broker-registration.ts';
import { brokerHeartbeat } from './63-broker-heartbeat.ts';
import { allocateProducerIds } from './67-allocate-producer-ids.ts';
import { assignReplicasToDirs } from './73-assign-replicas-to-dirs.ts';

export const controllerHandlers: readonly HandlerDefinition<ControllerServices>[] = [
  ...administrationHandlers,
  describeQuorum,
  alterPartition,
  envelope,
  brokerRegistration,
  brokerHeartbeat,
  allocateProducerIds,
  assignReplicasToDirs,
];
