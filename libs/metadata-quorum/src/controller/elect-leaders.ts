/**
 * Elections that someone asks for: a client by ElectLeaders, or the controller itself when leaders have gathered on
 * few brokers.
 *
 * A preferred election gives a partition to the first replica of its assignment, if that is live and in sync. An
 * unclean one gives a partition that has no leader to any live replica; acknowledged records may be missing then, and
 * the partition is RECOVERING.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterImage, PartitionImage, TopicImage } from '../image/cluster-image.ts';
import { isActive, NO_LEADER } from '../image/cluster-image.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import type { ConfigSchema } from './config-schema.ts';
import type { Decision } from './decision.ts';
import { orRefusal, Refusal, repeated } from './decision.ts';
import { leadershipRules } from './leadership-rules.ts';
import { decideLeadership } from './partition-leadership.ts';

export const ElectionType = { PREFERRED: 0, UNCLEAN: 1 } as const;

/** So many partitions may one request change: its records must fit one batch of the metadata log. */
export const MAX_ELECTIONS_PER_REQUEST = 10_000;

export interface ElectLeadersRequest {
  /** One of `ElectionType`. */
  readonly electionType: number;
  /** Null: all partitions. */
  readonly topicPartitions:
    | readonly { readonly topic: string; readonly partitions: readonly number[] }[]
    | null;
}

export interface ElectedPartition {
  readonly partitionId: number;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

export interface ElectLeadersAnswer {
  /** NONE, or INVALID_REQUEST for an election of no known type: then there are no results. */
  readonly errorCode: number;
  readonly replicaElectionResults: readonly {
    readonly topic: string;
    readonly partitionResult: readonly ElectedPartition[];
  }[];
}

interface ElectionContext {
  readonly image: ClusterImage;
  readonly schema: ConfigSchema;
  readonly unclean: boolean;
  readonly records: MetadataRecord[];
}

/** One result for each partition that the request names; of all partitions, those that needed no election are left out. */
export function electLeaders(
  image: ClusterImage,
  { electionType, topicPartitions }: ElectLeadersRequest,
  schema: ConfigSchema,
): Decision<ElectLeadersAnswer> {
  if (electionType !== ElectionType.PREFERRED && electionType !== ElectionType.UNCLEAN) {
    return {
      records: [],
      answer: { errorCode: ErrorCode.INVALID_REQUEST, replicaElectionResults: [] },
    };
  }
  const records: MetadataRecord[] = [];
  const context = { image, schema, unclean: electionType === ElectionType.UNCLEAN, records };
  const replicaElectionResults =
    topicPartitions === null ? electAll(context) : electNamed(context, topicPartitions);
  return { records, answer: { errorCode: ErrorCode.NONE, replicaElectionResults } };
}

function electNamed(
  context: ElectionContext,
  topicPartitions: NonNullable<ElectLeadersRequest['topicPartitions']>,
): ElectLeadersAnswer['replicaElectionResults'] {
  const keys = topicPartitions.flatMap(({ topic, partitions }) => partitions.map((id) => `${topic}-${id}`));
  const twice = repeated(keys);
  return topicPartitions.map(({ topic, partitions }) => ({
    topic,
    partitionResult: partitions.map((id) =>
      result(id, () => {
        if (twice.has(`${topic}-${id}`)) {
          throw new Refusal(ErrorCode.INVALID_REQUEST, 'The request names this partition more than once.');
        }
        const found = context.image.topics.get(topic);
        const partition = found?.partitions[id];
        if (found === undefined || partition === undefined) {
          throw new Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no partition ${topic}-${id}.`);
        }
        electOne(context, found, partition);
      }),
    ),
  }));
}

function electAll(context: ElectionContext): ElectLeadersAnswer['replicaElectionResults'] {
  return [...context.image.topics.values()]
    .map((topic) => ({
      topic: topic.name,
      partitionResult: topic.partitions
        .map((partition) => result(partition.index, () => electOne(context, topic, partition)))
        .filter(({ errorCode }) => errorCode !== ErrorCode.ELECTION_NOT_NEEDED),
    }))
    .filter(({ partitionResult }) => partitionResult.length > 0);
}

function electOne(
  { image, schema, unclean, records }: ElectionContext,
  topic: TopicImage,
  partition: PartitionImage,
): void {
  const needless = unclean ? partition.leader !== NO_LEADER : partition.leader === partition.replicas[0];
  if (needless) throw new Refusal(ErrorCode.ELECTION_NOT_NEEDED, 'The partition has that leader already.');
  if (records.length >= MAX_ELECTIONS_PER_REQUEST) {
    throw new Refusal(
      ErrorCode.POLICY_VIOLATION,
      `One request may elect ${MAX_ELECTIONS_PER_REQUEST} leaders; ask again for the others.`,
    );
  }
  const rules = { ...leadershipRules(image, schema, topic.name), uncleanElection: unclean };
  const record = decideLeadership(topic.id, partition, { preferFirst: !unclean }, rules);
  if (record === null) {
    throw unclean
      ? new Refusal(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, 'None of its replicas is live.')
      : new Refusal(
          ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
          `Broker ${partition.replicas[0]} is not live and in sync.`,
        );
  }
  records.push(record);
}

function result(partitionId: number, elect: () => void): ElectedPartition {
  return orRefusal<ElectedPartition>(
    () => {
      elect();
      return { partitionId, errorCode: ErrorCode.NONE, errorMessage: null };
    },
    ({ errorCode, message }) => ({ partitionId, errorCode, errorMessage: message }),
  );
}

/** Who is to lead again: `balanceLeaders` takes these, and no more than so many at once. */
export interface BalanceSettings {
  /** `leader.imbalance.per.broker.percentage`: below and at it a broker's partitions are left where they are. */
  readonly imbalancePercentage: number;
  readonly maxElections: number;
}

export interface BalanceAnswer {
  readonly elected: number;
  /** True if the limit left some out: they are due at once. */
  readonly more: boolean;
}

/** Gives brokers their preferred leaderships back where too many of them are led by others. */
export function balanceLeaders(
  image: ClusterImage,
  { imbalancePercentage, maxElections }: BalanceSettings,
  schema: ConfigSchema,
): Decision<BalanceAnswer> {
  const preferred = new Map<number, { total: number; elsewhere: number }>();
  for (const { partition } of partitionsOf(image)) {
    const first = partition.replicas[0] ?? NO_LEADER;
    const count = preferred.get(first) ?? { total: 0, elsewhere: 0 };
    preferred.set(first, count);
    count.total += 1;
    if (partition.leader !== first) count.elsewhere += 1;
  }
  const records: MetadataRecord[] = [];
  for (const { topic, partition } of partitionsOf(image)) {
    const first = partition.replicas[0] ?? NO_LEADER;
    const count = preferred.get(first);
    if (count === undefined || count.elsewhere * 100 <= count.total * imbalancePercentage) continue;
    if (partition.leader === first || !partition.isr.includes(first)) continue;
    if (!isActive(image.brokers.get(first))) continue;
    if (records.length >= maxElections) return { records, answer: { elected: records.length, more: true } };
    const rules = leadershipRules(image, schema, topic.name);
    const record = decideLeadership(topic.id, partition, { preferFirst: true }, rules);
    if (record !== null) records.push(record);
  }
  return { records, answer: { elected: records.length, more: false } };
}

/** How many partitions are led by another than their preferred replica: Kafka's PreferredReplicaImbalanceCount. */
export function preferredReplicaImbalance(image: ClusterImage): number {
  let count = 0;
  for (const { partition } of partitionsOf(image)) {
    if (partition.leader !== partition.replicas[0]) count += 1;
  }
  return count;
}

function* partitionsOf(
  image: ClusterImage,
): Generator<{ readonly topic: TopicImage; readonly partition: PartitionImage }> {
  for (const topic of image.topics.values()) {
    for (const partition of topic.partitions) yield { topic, partition };
  }
}
