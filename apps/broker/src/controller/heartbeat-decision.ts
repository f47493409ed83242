/**
 * What a heartbeat makes of its broker (R14). Pure: a decision of the controller.
 *
 *     fenced               wants to stop              -> may stop
 *                          wants to serve, caught up  -> unfenced
 *     unfenced             wants to be fenced         -> fenced
 *                          wants to stop              -> controlled shutdown: leaderships move, ISRs are left
 *     controlled shutdown  leads nothing any more, and every live broker knows it  -> may stop, and is fenced
 *
 * Caught up means: with its own registration. A heartbeat that comes twice decides the same again, and one that was
 * overtaken by a later one decides nothing: or a wish from its start would fence a broker that serves (F23).
 */
import {
  beginControlledShutdown,
  type BrokerAnswer,
  type BrokerRegistration,
  type ClusterImage,
  type ConfigSchema,
  type Decision,
  fenceBroker,
  isActive,
  unfenceBroker,
  withBroker,
} from '@seatlog/metadata-quorum';
import type { BrokerSessions } from './broker-sessions.ts';

export interface Heartbeat {
  readonly brokerId: number;
  readonly brokerEpoch: number;
  readonly currentMetadataOffset: number;
  readonly wantFence: boolean;
  readonly wantShutDown: boolean;
}

export interface HeartbeatAnswer extends BrokerAnswer {
  readonly isCaughtUp: boolean;
  readonly isFenced: boolean;
  readonly shouldShutDown: boolean;
}

type NextState = 'as it is' | 'fenced' | 'unfenced' | 'controlled shutdown' | 'may stop';

export function decideHeartbeat(
  image: ClusterImage,
  heartbeat: Heartbeat,
  sessions: BrokerSessions,
  schema: ConfigSchema,
): Decision<HeartbeatAnswer> {
  const { brokerId, brokerEpoch, currentMetadataOffset } = heartbeat;
  const broker = image.brokers.get(brokerId);
  const known = withBroker(image, brokerId, brokerEpoch, () => []).answer;
  if (broker === undefined || known.brokerEpoch === -1) {
    return { records: [], answer: { ...known, isCaughtUp: false, isFenced: true, shouldShutDown: false } };
  }
  const isCaughtUp = currentMetadataOffset >= broker.epoch;
  const next = nextState(image, broker, heartbeat, sessions);
  const { records, answer } = change(next)(image, brokerId, brokerEpoch, schema);
  if (next === 'controlled shutdown') sessions.shutdownBegan(brokerId, image.lastOffset + records.length);
  const isFenced = next === 'as it is' ? broker.fenced : next === 'fenced' || next === 'may stop';
  return { records, answer: { ...answer, isCaughtUp, isFenced, shouldShutDown: next === 'may stop' } };
}

function nextState(
  image: ClusterImage,
  broker: BrokerRegistration,
  { wantFence, wantShutDown, currentMetadataOffset }: Heartbeat,
  sessions: BrokerSessions,
): NextState {
  if (sessions.isLate(broker.id, currentMetadataOffset)) return 'as it is';
  if (broker.fenced) {
    if (wantShutDown) return 'may stop';
    return !wantFence && currentMetadataOffset >= broker.epoch ? 'unfenced' : 'as it is';
  }
  if (broker.inControlledShutdown) {
    return hasLeft(image, broker, sessions) ? 'may stop' : 'controlled shutdown';
  }
  if (wantShutDown) return leads(image, broker.id) ? 'controlled shutdown' : 'may stop';
  return wantFence ? 'fenced' : 'as it is';
}

/** A controller that took over meanwhile has not noted when the shutdown began: from then on counts as well. */
function hasLeft(image: ClusterImage, { id }: BrokerRegistration, sessions: BrokerSessions): boolean {
  if (leads(image, id)) return false;
  const active = [...image.brokers.values()].filter(isActive).map((broker) => broker.id);
  return sessions.haveReached(active, sessions.shutdownBegan(id, image.lastOffset));
}

function leads(image: ClusterImage, brokerId: number): boolean {
  for (const { partitions } of image.topics.values()) {
    if (partitions.some(({ leader }) => leader === brokerId)) return true;
  }
  return false;
}

type BrokerDecision = typeof fenceBroker;

function change(next: NextState): BrokerDecision {
  switch (next) {
    case 'fenced':
    case 'may stop':
      return fenceBroker;
    case 'unfenced':
      return unfenceBroker;
    case 'controlled shutdown':
      return beginControlledShutdown;
    case 'as it is':
      return (image, brokerId, brokerEpoch) => withBroker(image, brokerId, brokerEpoch, () => []);
  }
}
