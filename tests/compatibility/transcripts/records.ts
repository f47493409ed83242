/** Record batches and topics for scenarios. */
import { apis, RecordBatchWriter, type SealOptions } from '@seatlog/kafka-protocol';
import type { Session } from './session.ts';

export interface BatchShape extends SealOptions {
  readonly count?: number;
  /** Of the first record; each further one is a millisecond later. */
  readonly timestamp: number;
  readonly value?: string | null;
  readonly key?: string | null;
}

export function batchOf({
  count = 1,
  timestamp,
  value = 'taken',
  key = 'A-1-1',
  ...options
}: BatchShape): Uint8Array {
  const writer = new RecordBatchWriter();
  for (let index = 0; index < count; index++) writer.append(timestamp + index, bytesOf(key), bytesOf(value));
  return writer.seal(options);
}

function bytesOf(text: string | null): Uint8Array | null {
  return text === null ? null : Buffer.from(text);
}

export interface TopicShape {
  readonly partitions?: number;
  readonly configs?: Readonly<Record<string, string>>;
}

/** Creates the topic, waits until its partitions have leaders, and gives its id. */
export async function createTopic(
  session: Session,
  topic: string,
  { partitions = 1, configs = {} }: TopicShape = {},
): Promise<string> {
  const answer = await session.exchange(apis.createTopics, 7, {
    topics: [
      {
        name: topic,
        numPartitions: partitions,
        replicationFactor: 1,
        assignments: [],
        configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
      },
    ],
    timeoutMs: 30_000,
  });
  if (answer?.topics[0]?.errorCode !== 0) throw new Error(`${topic}: ${answer?.topics[0]?.errorMessage}`);
  await session.askUntil(
    `${topic.split('.')[0]} is there`,
    apis.metadata,
    12,
    { topics: [{ name: topic }], allowAutoTopicCreation: false },
    ({ topics }) =>
      topics[0]?.errorCode === 0 &&
      topics[0].partitions.length === partitions &&
      topics[0].partitions.every(({ errorCode }) => errorCode === 0),
  );
  // A broker may tell of a leader before it leads.
  await session.askUntil(
    `${topic.split('.')[0]} has leaders`,
    apis.listOffsets,
    7,
    {
      replicaId: -1,
      isolationLevel: 0,
      topics: [
        {
          name: topic,
          partitions: Array.from({ length: partitions }, (_, partitionIndex) => ({
            partitionIndex,
            timestamp: -1,
          })),
        },
      ],
    },
    ({ topics }) => topics[0]?.partitions.every(({ errorCode }) => errorCode === 0) === true,
  );
  return answer.topics[0].topicId;
}

/** Produces one batch to one partition, in a version, and writes down the answer. */
export async function produceTo(
  session: Session,
  what: string,
  topic: string,
  records: Uint8Array | null,
  { acks = -1, index = 0, version = 11 }: { acks?: number; index?: number; version?: number } = {},
): Promise<void> {
  await session.ask(what, apis.produce, version, {
    acks,
    timeoutMs: 10_000,
    topicData: [{ name: topic, partitionData: [{ index, records }] }],
  });
}
