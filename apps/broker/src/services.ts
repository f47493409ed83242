/**
 * What handlers may use: one object per broker, made once at start and never changed after it.
 *
 * Handlers reach the rest of the broker through here alone. Who does what:
 * - `metadata`: the cluster's image (topics, partitions, brokers, configs) and the only way to change it;
 * - `replicas`: this broker's partitions: appending, reading, waiting for the high watermark;
 * - `groups`: group coordination, on top of `replicas` and `metadata`;
 * - `controllerChannel`, `automaticTopics`: what the active controller is asked for;
 * - `listeners`: the addresses to advertise.
 */
import type { AnyApi } from '@seatlog/kafka-protocol';
import type { CreateTopicsContext } from '@seatlog/metadata-quorum';
import type { Clock, Random, Timers, Turns } from '@seatlog/runtime';
import type { BrokerConfig } from './config/broker-config.ts';
import type { AutomaticTopics } from './controller/automatic-topics.ts';
import type { ControllerRequests } from './controller/controller-requests.ts';
import type { GroupService } from './groups/group-service.ts';
import type { Logger } from './logger.ts';
import type { MetadataService } from './metadata/metadata-service.ts';
import type { BrokerMetrics } from './metrics.ts';
import type { ReplicaManager } from './replica-manager/replica-manager.ts';

export interface AdvertisedListener {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export interface BrokerServices {
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
  readonly metadata: MetadataService;
  readonly replicas: ReplicaManager;
  readonly groups: GroupService;
  /** For requests of clients that the active controller decides. */
  readonly controllerChannel: ControllerRequests;
  readonly automaticTopics: AutomaticTopics;
  /** What the controller's decisions need to create topics: defaults, the schema of configs, chance. */
  readonly topicCreation: CreateTopicsContext;
  /** The served APIs, for ApiVersions. */
  readonly handlers: readonly { readonly api: AnyApi }[];
  /** Bytes of answers that wait in all sockets: what large answers are held against. */
  unsentBytes(): number;
  /** Advertised addresses, ports resolved; empty until the sockets are bound. */
  advertisedListeners(): readonly AdvertisedListener[];
}
