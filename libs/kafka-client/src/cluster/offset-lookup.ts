/**
 * Finds offsets by time, or the ends of the log, at the leaders of the partitions. Asks again with fresh metadata while a
 * leader is not to be found, until the deadline.
 */
import { apis, errorByCode, ErrorCode, type ResponseOf } from '@seatlog/kafka-protocol';
import { backoffMs } from '../backoff.ts';
import { brokerError } from '../broker-error.ts';
import { KafkaClientError } from '../errors.ts';
import { aborted } from '../waiting.ts';
import type { Cluster, WaitLimits } from './cluster.ts';

export const LATEST_TIMESTAMP = -1;
export const EARLIEST_TIMESTAMP = -2;

export interface OffsetQuestion {
  readonly topic: string;
  readonly partition: number;
  readonly timestamp: number;
}

export interface OffsetAnswer {
  readonly topic: string;
  readonly partition: number;
  /** -1: no record at or past that time. */
  readonly offset: number;
  readonly timestamp: number;
  readonly leaderEpoch: number;
}

export async function lookUpOffsets(
  cluster: Cluster,
  questions: readonly OffsetQuestion[],
  readCommitted: boolean,
  limits: WaitLimits,
): Promise<readonly OffsetAnswer[]> {
  await cluster.awaitTopics([...new Set(questions.map(({ topic }) => topic))], limits);
  const answers: OffsetAnswer[] = [];
  let open = questions;
  for (let failures = 1; ; failures++) {
    let failure: KafkaClientError | null = null;
    const leftOver: OffsetQuestion[] = [];
    const rounds = Array.from(byLeader(cluster, open), async ([leader, asked]) => {
      try {
        const round = await askLeader(cluster, leader, asked, readCommitted);
        answers.push(...round.answers);
        leftOver.push(...round.again);
        failure = round.failure ?? failure;
      } catch (cause) {
        if (!(cause instanceof KafkaClientError) || !cause.retriable) throw cause;
        leftOver.push(...asked);
        failure = cause;
      }
    });
    await Promise.all(rounds);
    open = leftOver;
    if (open.length === 0) return answers;
    cluster.requestRefresh();
    await pause(cluster, failures, limits, failure);
  }
}

function byLeader(cluster: Cluster, questions: readonly OffsetQuestion[]): Map<number, OffsetQuestion[]> {
  const leaders = new Map<number, OffsetQuestion[]>();
  for (const question of questions) {
    const leader = cluster.metadata.leaderOf(question.topic, question.partition);
    const list = leaders.get(leader);
    if (list === undefined) leaders.set(leader, [question]);
    else list.push(question);
  }
  return leaders;
}

async function askLeader(
  cluster: Cluster,
  leader: number,
  questions: readonly OffsetQuestion[],
  readCommitted: boolean,
): Promise<{ answers: OffsetAnswer[]; again: OffsetQuestion[]; failure: KafkaClientError | null }> {
  if (leader < 0) {
    const failure = brokerError(ErrorCode.LEADER_NOT_AVAILABLE, { what: 'offsets cannot be looked up' });
    return { answers: [], again: [...questions], failure };
  }
  const topics = Map.groupBy(questions, ({ topic }) => topic);
  const connection = await cluster.controlConnection(leader);
  const response = await connection.request(apis.listOffsets, (version) => ({
    replicaId: -1,
    ...(version >= 2 ? { isolationLevel: readCommitted ? 1 : 0 } : {}),
    topics: Array.from(topics, ([name, list]) => ({
      name,
      partitions: list.map(({ partition, timestamp }) => ({ partitionIndex: partition, timestamp })),
    })),
  }));
  return sortAnswers(questions, response);
}

function sortAnswers(
  questions: readonly OffsetQuestion[],
  response: ResponseOf<typeof apis.listOffsets>,
): { answers: OffsetAnswer[]; again: OffsetQuestion[]; failure: KafkaClientError | null } {
  const answers: OffsetAnswer[] = [];
  const again: OffsetQuestion[] = [];
  let failure: KafkaClientError | null = null;
  for (const question of questions) {
    const { topic, partition } = question;
    const answer = response.topics
      .find(({ name }) => name === topic)
      ?.partitions.find(({ partitionIndex }) => partitionIndex === partition);
    const errorCode = answer?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR;
    if (answer !== undefined && errorCode === ErrorCode.NONE) {
      const { offset, timestamp, leaderEpoch } = answer;
      answers.push({ topic, partition, offset, timestamp, leaderEpoch });
      continue;
    }
    const error = brokerError(errorCode, { what: `the offset of ${topic}-${partition} cannot be looked up` });
    if (!errorByCode(errorCode).retriable) throw error;
    again.push(question);
    failure = error;
  }
  return { answers, again, failure };
}

/** Waits before the next round, or gives up with what went wrong. */
async function pause(
  cluster: Cluster,
  failures: number,
  limits: WaitLimits,
  failure: KafkaClientError | null,
): Promise<void> {
  const { ports, retryBackoff } = cluster.settings;
  const wait = backoffMs(retryBackoff, failures, ports.random.fraction());
  if (ports.clock.monotonic() + wait > limits.deadline && failure !== null) throw failure;
  await new Promise<void>((resolve) => {
    ports.timers.schedule(wait, resolve);
  });
  if (limits.signal?.aborted === true) throw aborted(limits.signal);
}
