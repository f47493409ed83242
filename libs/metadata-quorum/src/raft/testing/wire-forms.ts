/** Messages as they come out at the other end: through the bytes of their latest versions. */
import {
  type AnyApi,
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '@seatlog/kafka-protocol';
import type { Respond, SendRequest } from '../quorum-effects.ts';
import type { ReceivedRequest, ReceivedResponse } from '../quorum-messages.ts';

const CORRELATION_ID = 1;

export function receivedRequest(send: SendRequest): ReceivedRequest {
  const api: AnyApi = apis[send.api];
  const frame = frameOf(encodeRequest(api, api.maxVersion, CORRELATION_ID, 'raft-client', send.body));
  const body = decodeRequestBody(api, decodeRequestHeader(frame), frame);
  return { api: send.api, body } as ReceivedRequest;
}

/** `snapshotBytes`: the size of the snapshot that is read from, whose bytes are all zero. */
export function receivedResponse(respond: Respond, snapshotBytes: number): ReceivedResponse {
  const api: AnyApi = apis[respond.api];
  const frame = frameOf(
    encodeResponse(api, api.maxVersion, CORRELATION_ID, withSnapshot(respond, snapshotBytes)),
  );
  return { api: respond.api, body: decodeResponse(api, api.maxVersion, frame).body } as ReceivedResponse;
}

function withSnapshot(respond: Respond, snapshotBytes: number): Respond['body'] {
  const { read } = respond;
  if (respond.api !== 'fetchSnapshot' || read?.from !== 'snapshot') return respond.body;
  const unalignedRecords = new Uint8Array(Math.min(read.maxBytes, snapshotBytes - read.position));
  const topics = respond.body.topics?.map((topic) => ({
    ...topic,
    partitions: topic.partitions?.map((partition) => ({ ...partition, unalignedRecords })) ?? [],
  }));
  return { ...respond.body, topics: topics ?? [] };
}

/** Without the size. */
function frameOf(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts)).subarray(4);
}
