/** Who this node is, and how it stands to the controllers. */
import { boolean, int, list, oneOf, optionalString, string } from './value-types.ts';

export const nodeDefinitions = {
  'process.roles': list(['broker', 'controller'], 'Roles of this process: broker, controller, or both.', [
    'broker',
    'controller',
  ]),
  'node.id': int(1, { min: 0 }, 'The id of this node in the cluster.'),
  'broker.rack': optionalString(
    'The rack of this broker, for replica placement and reads from the nearest replica.',
  ),
  'broker.heartbeat.interval.ms': int(
    2000,
    { min: 1 },
    'How often a broker sends heartbeats to the controller.',
  ),
  'broker.session.timeout.ms': int(9000, { min: 1 }, 'How long a broker without heartbeats stays unfenced.'),
  'controlled.shutdown.enable': boolean(true, 'Whether a stopping broker hands over its leaderships first.'),
  'auto.leader.rebalance.enable': boolean(
    true,
    'Whether leadership returns to preferred replicas by itself.',
  ),
  'leader.imbalance.check.interval.seconds': int(
    300,
    { min: 1 },
    'How often the balance of leaders is looked at.',
  ),
  'leader.imbalance.per.broker.percentage': int(
    10,
    { min: 0 },
    'How many of a hundred preferred leaderships a broker may lack before they are given back to it.',
  ),
  'initial.broker.registration.timeout.ms': int(
    60_000,
    { min: 1 },
    'How long a starting broker tries to register before it gives up.',
  ),
  'unclean.leader.election.enable': boolean(
    false,
    'Whether a replica outside the ISR may lead as a last resort.',
  ),
  'num.partitions': int(1, { min: 1 }, 'Partitions of a topic that is created without saying how many.'),
  'default.replication.factor': int(
    1,
    { min: 1 },
    'Replicas of a topic that is created without saying how many.',
  ),
  'auto.create.topics.enable': boolean(true, 'Whether asking for an unknown topic creates it.'),
  'delete.topic.enable': boolean(true, 'Whether topics may be deleted.'),
  'min.insync.replicas': int(1, { min: 1 }, 'How many in-sync replicas an acks=all produce asks for.'),
  'cluster.id': optionalString(
    'The cluster this node belongs to, 22 characters of base64. The fresh log directory of a node that is its own quorum gets one made for it.',
  ),
  'seatlog.http.listener': string(
    '',
    'host:port of /healthz, /metrics and /state; empty: none. Port 0 picks a free one.',
  ),
  'seatlog.log.level': oneOf(
    ['debug', 'info', 'warn', 'error'],
    'info',
    'The least severe log lines that are written.',
  ),
} as const;
