/** Replicas: fetching from leaders, falling out of the ISR, checkpoints. */
import { int, long, oneOf } from './value-types.ts';

const LEADER_SELECTOR = 'org.apache.kafka.common.replica.LeaderSelector';
export const RACK_AWARE_SELECTOR = 'org.apache.kafka.common.replica.RackAwareReplicaSelector';

export const replicationDefinitions = {
  'replica.lag.time.max.ms': long(
    30_000,
    { min: 1 },
    'How long a follower may lag before it leaves the ISR.',
  ),
  'replica.fetch.wait.max.ms': int(500, { min: 0 }, 'How long a fetch of a follower waits for data.'),
  'replica.fetch.min.bytes': int(1, { min: 0 }, 'The least bytes a fetch of a follower waits for.'),
  'replica.fetch.max.bytes': int(
    1_048_576,
    { min: 0 },
    'The most bytes of a partition in a fetch of a follower.',
  ),
  'replica.fetch.response.max.bytes': int(10_485_760, { min: 0 }, 'The most bytes of a fetch of a follower.'),
  'replica.fetch.backoff.ms': int(1000, { min: 0 }, 'How long a fetcher waits after an error.'),
  'replica.socket.timeout.ms': int(30_000, { min: 1 }, 'How long a fetcher waits for an answer.'),
  'replica.selector.class': oneOf(
    [LEADER_SELECTOR, RACK_AWARE_SELECTOR],
    LEADER_SELECTOR,
    'From which replica a consumer that tells its rack reads: the leader, or one in its rack.',
  ),
  'num.replica.fetchers': int(1, { min: 1 }, 'Fetchers per leader broker.'),
  'replica.high.watermark.checkpoint.interval.ms': long(
    5000,
    { min: 1 },
    'How often high watermarks are written to the checkpoint.',
  ),
} as const;
