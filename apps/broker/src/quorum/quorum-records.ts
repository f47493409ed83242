/** Puts the bytes of the log, or of a snapshot, into an answer that the quorum gave without them. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { LogReadRequest, Respond, ResponseToSend, SnapshotReadRequest } from '@seatlog/metadata-quorum';
import type { MetadataLog } from './metadata-log.ts';

export type ReadyResponse = ResponseToSend;

export function withRecords(answer: Respond, log: MetadataLog): ReadyResponse {
  const { read } = answer;
  if (read === null) return answer;
  if (answer.api === 'fetch' && read.from === 'log') return withBatches(answer, read, log);
  if (answer.api === 'fetchSnapshot' && read.from === 'snapshot') return withPiece(answer, read, log);
  throw new Error(`an answer to ${answer.api} cannot hold bytes of the ${read.from}`);
}

function withBatches(
  { api, body }: ResponseToSend & { readonly api: 'fetch' },
  { fromOffset, toOffset, maxBytes }: LogReadRequest,
  log: MetadataLog,
): ReadyResponse {
  const { records } = log.read(fromOffset, maxBytes, toOffset);
  const responses = body.responses.map((topic) => ({
    ...topic,
    partitions: topic.partitions.map((partition) => ({ ...partition, records })),
  }));
  return { api, body: { ...body, responses } };
}

function withPiece(
  { api, body }: ResponseToSend & { readonly api: 'fetchSnapshot' },
  { id, position, maxBytes }: SnapshotReadRequest,
  log: MetadataLog,
): ReadyResponse {
  const piece = log.readSnapshot(id, position, maxBytes);
  const bytes = piece === null ? { errorCode: ErrorCode.SNAPSHOT_NOT_FOUND } : { unalignedRecords: piece };
  const topics = body.topics.map((topic) => ({
    ...topic,
    partitions: topic.partitions.map((partition) => ({ ...partition, ...bytes })),
  }));
  return { api, body: { ...body, topics } };
}
