/**
 * Brokers come, are fenced, come back, stop, and go; what that does to the partitions they hold (R14, R20).
 *
 * A registration begins fenced. Its epoch is the offset of its record, so epochs of successive incarnations rise. A
 * broker whose registration did not follow on a clean stop of the one before may have lost records, and leaves ISR and
 * eligible leader replicas.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { BrokerRegistration, ClusterImage, PartitionImage } from '../image/cluster-image.ts';
import { isActive, NO_LEADER } from '../image/cluster-image.ts';
import type { Endpoint, FeatureRange, MetadataRecord } from '../records/metadata-record.ts';
import { brokerRegistrationChange } from '../records/metadata-record.ts';
import type { ConfigSchema } from './config-schema.ts';
import type { Decision } from './decision.ts';
import { leadershipChanges } from './leadership-rules.ts';
import type { LeadershipTargets } from './partition-leadership.ts';

export interface BrokerToRegister {
  readonly brokerId: number;
  /** Made anew by every process. */
  readonly incarnationId: string;
  readonly endpoints: readonly Endpoint[];
  readonly features: readonly FeatureRange[];
  readonly rack: string | null;
  readonly logDirs: readonly string[];
  /** The epoch that the clean-stop marker names; -1 if there is none. */
  readonly previousBrokerEpoch: number;
}

export interface RegistrationContext {
  readonly schema: ConfigSchema;
  /** True while the broker with this id is heard of: another process with its id is then refused. */
  readonly sessionAlive: boolean;
}

export interface BrokerAnswer {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  /** -1 on an error. */
  readonly brokerEpoch: number;
}

export function registerBroker(
  image: ClusterImage,
  request: BrokerToRegister,
  { schema, sessionAlive }: RegistrationContext,
): Decision<BrokerAnswer> {
  const existing = image.brokers.get(request.brokerId);
  if (existing?.incarnationId === request.incarnationId) {
    return { records: [], answer: accepted(existing.epoch) };
  }
  if (existing !== undefined && sessionAlive && !existing.inControlledShutdown) {
    const message = `Broker ${request.brokerId} is registered by a process that is alive; give this one another node.id.`;
    return { records: [], answer: refused(ErrorCode.DUPLICATE_BROKER_REGISTRATION, message) };
  }
  const brokerEpoch = image.lastOffset + 1;
  const clean = existing !== undefined && existing.epoch === request.previousBrokerEpoch;
  return {
    records: [
      {
        type: 'RegisterBrokerRecord',
        brokerId: request.brokerId,
        isMigratingZkBroker: false,
        incarnationId: request.incarnationId,
        brokerEpoch,
        endPoints: request.endpoints,
        features: request.features,
        rack: request.rack,
        fenced: true,
        inControlledShutdown: false,
        logDirs: request.logDirs,
      },
      ...(existing === undefined ? [] : withoutBroker(image, request.brokerId, schema, !clean)),
    ],
    answer: accepted(brokerEpoch),
  };
}

/** Lets a registered broker take part, unless it is stopping; partitions that waited for it get their leader. */
export function unfenceBroker(
  image: ClusterImage,
  brokerId: number,
  brokerEpoch: number,
  schema: ConfigSchema,
): Decision<BrokerAnswer> {
  return withBroker(image, brokerId, brokerEpoch, (broker) => {
    if (!broker.fenced || broker.inControlledShutdown) return [];
    const mayLead = (id: number): boolean => id === brokerId || isActive(image.brokers.get(id));
    const targetsOf = (partition: PartitionImage): LeadershipTargets | null =>
      partition.leader === NO_LEADER && partition.replicas.includes(brokerId) ? {} : null;
    return [
      brokerRegistrationChange(brokerId, brokerEpoch, { fenced: -1 }),
      ...leadershipChanges(image, schema, targetsOf, { mayLead }),
    ];
  });
}

/** Takes a broker that is no longer heard of out of every leadership and ISR. */
export function fenceBroker(
  image: ClusterImage,
  brokerId: number,
  brokerEpoch: number,
  schema: ConfigSchema,
): Decision<BrokerAnswer> {
  return withBroker(image, brokerId, brokerEpoch, (broker) =>
    broker.fenced ? [] : takenOut(image, broker, { fenced: 1 }, schema),
  );
}

/** A broker asks to stop: its leaderships move away first. */
export function beginControlledShutdown(
  image: ClusterImage,
  brokerId: number,
  brokerEpoch: number,
  schema: ConfigSchema,
): Decision<BrokerAnswer> {
  return withBroker(image, brokerId, brokerEpoch, (broker) =>
    broker.inControlledShutdown ? [] : takenOut(image, broker, { inControlledShutdown: 1 }, schema),
  );
}

/** Forgets a broker. Nothing says what one with its id will bring along, so it is eligible for nothing any more. */
export function unregisterBroker(
  image: ClusterImage,
  brokerId: number,
  schema: ConfigSchema,
): Decision<BrokerAnswer> {
  const broker = image.brokers.get(brokerId);
  if (broker === undefined) {
    return {
      records: [],
      answer: refused(ErrorCode.BROKER_ID_NOT_REGISTERED, `Broker ${brokerId} is not registered.`),
    };
  }
  return {
    records: [
      ...withoutBroker(image, brokerId, schema, true),
      { type: 'UnregisterBrokerRecord', brokerId, brokerEpoch: broker.epoch },
    ],
    answer: accepted(broker.epoch),
  };
}

/** Runs `decide` on a broker whose registration has the epoch given. */
export function withBroker(
  image: ClusterImage,
  brokerId: number,
  brokerEpoch: number,
  decide: (broker: BrokerRegistration) => readonly MetadataRecord[],
): Decision<BrokerAnswer> {
  const broker = image.brokers.get(brokerId);
  if (broker === undefined) {
    return {
      records: [],
      answer: refused(ErrorCode.BROKER_ID_NOT_REGISTERED, `Broker ${brokerId} is not registered.`),
    };
  }
  if (broker.epoch !== brokerEpoch) {
    const message = `Broker ${brokerId} is registered with epoch ${broker.epoch}, the request has ${brokerEpoch}.`;
    return { records: [], answer: refused(ErrorCode.STALE_BROKER_EPOCH, message) };
  }
  return { records: decide(broker), answer: accepted(brokerEpoch) };
}

/** What is written when a broker may neither lead nor be in sync any more, and has lost nothing. */
function takenOut(
  image: ClusterImage,
  { id, epoch }: BrokerRegistration,
  change: { readonly fenced: 1 } | { readonly inControlledShutdown: 1 },
  schema: ConfigSchema,
): readonly MetadataRecord[] {
  return [brokerRegistrationChange(id, epoch, change), ...withoutBroker(image, id, schema, false)];
}

function withoutBroker(
  image: ClusterImage,
  brokerId: number,
  schema: ConfigSchema,
  unclean: boolean,
): readonly MetadataRecord[] {
  const mayLead = (id: number): boolean => id !== brokerId && isActive(image.brokers.get(id));
  const targetsOf = (partition: PartitionImage): LeadershipTargets | null => {
    const held = partition.isr.includes(brokerId) || partition.leader === brokerId;
    if (!held && !(unclean && partition.elr.includes(brokerId))) return null;
    return {
      isr: partition.isr.filter((id) => id !== brokerId),
      ...(unclean ? { uncleanlyStopped: new Set([brokerId]) } : {}),
    };
  };
  return leadershipChanges(image, schema, targetsOf, { mayLead });
}

function accepted(brokerEpoch: number): BrokerAnswer {
  return { errorCode: ErrorCode.NONE, errorMessage: null, brokerEpoch };
}

function refused(errorCode: number, errorMessage: string): BrokerAnswer {
  return { errorCode, errorMessage, brokerEpoch: -1 };
}
