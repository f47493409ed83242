/** The metadata quorum: who votes, its times, and how its log is kept. */
import { int, list, long } from './value-types.ts';

const HOUR_MS = 3_600_000;

export const quorumDefinitions = {
  'controller.quorum.voters': list<string>(
    [],
    'Voters of the metadata quorum, one or three, each id@host:port. Empty: this node alone.',
  ),
  'controller.listener.names': list<string>(
    [],
    'Names of the listeners that controllers use; the first is the one that is used.',
  ),
  'controller.quorum.election.timeout.ms': int(
    1000,
    { min: 1 },
    'How long a candidate waits for votes before it stands again.',
  ),
  'controller.quorum.election.backoff.max.ms': int(
    1000,
    { min: 1 },
    'The longest wait after an election that nobody won.',
  ),
  'controller.quorum.fetch.timeout.ms': int(
    2000,
    { min: 1 },
    'How long a leader stays leader without fetches of a majority, and a voter waits for its leader.',
  ),
  'controller.quorum.request.timeout.ms': int(
    2000,
    { min: 1 },
    'How long a node waits for the answer of another one of the quorum.',
  ),
  'controller.quorum.retry.backoff.ms': int(
    20,
    { min: 0 },
    'How long a node waits before it asks another one of the quorum again.',
  ),
  'metadata.log.segment.bytes': int(1_073_741_824, { min: 1024 }, 'Segment size of the metadata log.'),
  'metadata.log.max.record.bytes.between.snapshots': long(
    20_971_520,
    { min: 1 },
    'Bytes of the metadata log after which a snapshot is written, and the log before it deleted.',
  ),
  'metadata.log.max.snapshot.interval.ms': long(
    HOUR_MS,
    { min: 0 },
    'How long committed metadata stays without a snapshot; 0: however long it takes.',
  ),
} as const;
