/** The body of a Produce request, and what its answer says about each batch. Pure. */
import { apis, ErrorCode, type RequestInput, type ResponseOf } from '@seatlog/kafka-protocol';
import { KafkaClientError } from '../errors.ts';
import type { Answer, PartitionQueue } from './partition-queue.ts';
import type { ProducerBatch } from './producer-batch.ts';

export interface BatchOnTheWay {
  readonly queue: PartitionQueue;
  readonly batch: ProducerBatch;
  readonly bytes: Uint8Array;
}

export type ProduceResponse = ResponseOf<typeof apis.produce>;
type PartitionResponse = ProduceResponse['responses'][number]['partitionResponses'][number];

/** At most one batch of a partition: a request cannot carry more. */
export function produceRequest(
  batches: readonly BatchOnTheWay[],
  acks: -1 | 0 | 1,
  timeoutMs: number,
): RequestInput<typeof apis.produce> {
  const byTopic = new Map<string, { index: number; records: Uint8Array }[]>();
  for (const { queue, bytes } of batches) {
    const partition = { index: queue.partition, records: bytes };
    const partitions = byTopic.get(queue.topic);
    if (partitions === undefined) byTopic.set(queue.topic, [partition]);
    else partitions.push(partition);
  }
  return {
    transactionalId: null,
    acks,
    timeoutMs,
    topicData: Array.from(byTopic, ([name, partitionData]) => ({ name, partitionData })),
  };
}

export interface LeaderHint {
  readonly leaderId: number;
  readonly leaderEpoch: number;
}

/** What the answer says about one batch, and who leads the partition if the answer tells. */
export function answerFor(
  response: ProduceResponse,
  { queue }: BatchOnTheWay,
): { readonly answer: Answer; readonly leader: LeaderHint | null } {
  const partition = findPartition(response, queue.topic, queue.partition);
  if (partition === null) return { answer: { kind: 'lost', error: leftOut(queue) }, leader: null };
  if (partition.errorCode === ErrorCode.NONE) {
    const { baseOffset, logAppendTimeMs } = partition;
    return { answer: { kind: 'written', baseOffset, logAppendTime: logAppendTimeMs }, leader: null };
  }
  const { errorCode, errorMessage, currentLeader } = partition;
  return {
    answer: { kind: 'refused', errorCode, message: errorMessage },
    leader: currentLeader.leaderId < 0 ? null : currentLeader,
  };
}

function findPartition(response: ProduceResponse, topic: string, index: number): PartitionResponse | null {
  for (const { name, partitionResponses } of response.responses) {
    if (name !== topic) continue;
    const found = partitionResponses.find((partition) => partition.index === index);
    if (found !== undefined) return found;
  }
  return null;
}

function leftOut(queue: PartitionQueue): KafkaClientError {
  return new KafkaClientError(
    'MALFORMED_RESPONSE',
    `the answer to Produce leaves ${queue.topic}-${queue.partition} out`,
    { retriable: true, hint: 'the client sends the batch again by itself' },
  );
}
