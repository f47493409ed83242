/**
 * What handlers of the controller listener may use: the counterpart of `BrokerServices` on a node with the controller
 * role, which need not be a broker.
 */
import type { AnyApi } from '@seatlog/kafka-protocol';
import type { CreateTopicsContext } from '@seatlog/metadata-quorum';
import type { Clock, Random, Timers, Turns } from '@seatlog/runtime';
import type { BrokerConfig } from '../config/broker-config.ts';
import type { ActiveControllerService } from '../controller/active-controller-service.ts';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import type { MetadataQuorum } from './metadata-quorum.ts';
import type { QuorumRequests } from './quorum-driver.ts';

export interface ControllerServices {
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
  /** Committed metadata, the quorum's leader, and changes while this node is the active controller. */
  readonly metadata: MetadataQuorum;
  /** The brokers' sessions, while this node is the active controller. */
  readonly controller: ActiveControllerService;
  /** This node's part in the quorum, for what other nodes ask of it. */
  readonly quorum: QuorumRequests;
  /** What the controller's decisions need to create topics: defaults, the schema of configs, chance. */
  readonly topicCreation: CreateTopicsContext;
  /** The served APIs, for ApiVersions. */
  readonly handlers: readonly { readonly api: AnyApi }[];
}
