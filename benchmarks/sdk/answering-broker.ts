/**
 * A broker that only answers: nothing is checked or stored, so that what is measured is the client. Produce is acknowledged
 * at once; `consume-<bytes>` has no end of equal records. Groups have one member.
 */
import { createServer, Socket, type SocketConstructorOpts } from 'node:net';
import {
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  encodeAssignment,
  encodeResponse,
  ErrorCode,
  FrameSplitter,
  RecordBatchWriter,
  stampBaseOffset,
  ZERO_UUID,
  type AnyApi,
  type Api,
  type RequestOf,
} from '@seatlog/kafka-protocol';

const CONSUME_TOPIC = /^consume-(\d+)$/;
const BATCH_BYTES = 100_000;
const READ_BYTES = 65_536;
const NO_END = 1e12;
const TOPIC_IDS = new Map<string, string>();

interface Stream {
  readonly batch: Uint8Array;
  readonly count: number;
}

const streams = new Map<string, Stream>();

function streamOf(topic: string): Stream | null {
  const valueBytes = Number(CONSUME_TOPIC.exec(topic)?.[1] ?? 0);
  if (valueBytes === 0) return null;
  let stream = streams.get(topic);
  if (stream === undefined) {
    const writer = new RecordBatchWriter({ maxBytes: BATCH_BYTES });
    const value = Buffer.alloc(valueBytes, 'y');
    while (writer.append(Date.now(), null, value));
    stream = { count: writer.recordCount, batch: writer.seal() };
    streams.set(topic, stream);
  }
  return stream;
}

function topicId(name: string): string {
  let id = TOPIC_IDS.get(name);
  if (id === undefined) {
    const bytes = Buffer.alloc(16);
    bytes.writeInt32BE(TOPIC_IDS.size + 1, 12);
    id = bytes.toString('base64url');
    TOPIC_IDS.set(name, id);
  }
  return id;
}

function nameOf(topic: string, id: string): string {
  if (id === ZERO_UUID) return topic;
  return [...TOPIC_IDS].find(([, known]) => known === id)?.[0] ?? topic;
}

let port = 0;
let nextOffset = 0;

function metadata(body: RequestOf<typeof apis.metadata>) {
  return {
    brokers: [{ nodeId: 1, host: '127.0.0.1', port }],
    clusterId: 'answering',
    controllerId: 1,
    topics: (body.topics ?? []).map(({ name }) => ({
      errorCode: 0,
      name,
      topicId: topicId(name ?? ''),
      partitions: [
        { errorCode: 0, partitionIndex: 0, leaderId: 1, leaderEpoch: 0, replicaNodes: [1], isrNodes: [1] },
      ],
    })),
  };
}

function fetch(body: RequestOf<typeof apis.fetch>) {
  return {
    responses: body.topics.map(({ topic, topicId: id, partitions }) => ({
      topic,
      topicId: id,
      partitions: partitions.map(({ partition, fetchOffset, partitionMaxBytes }) => ({
        partitionIndex: partition,
        errorCode: 0,
        highWatermark: NO_END,
        lastStableOffset: NO_END,
        logStartOffset: 0,
        abortedTransactions: null,
        records: batchesFrom(streamOf(nameOf(topic, id)), fetchOffset, partitionMaxBytes),
      })),
    })),
  };
}

function batchesFrom(stream: Stream | null, fetchOffset: number, maxBytes: number): Uint8Array[] {
  if (stream === null) return [];
  const parts: Uint8Array[] = [];
  const { batch, count } = stream;
  let offset = fetchOffset - (fetchOffset % count);
  for (let size = 0; size === 0 || size + batch.length <= maxBytes; size += batch.length) {
    // The header is copied, since the same records go out again and again under other offsets.
    const header = Buffer.from(batch.subarray(0, 61));
    stampBaseOffset(header, 0, offset);
    parts.push(header, batch.subarray(61));
    offset += count;
  }
  return parts;
}

type Answer = (body: unknown, version: number) => unknown;

const answers = new Map<AnyApi, Answer>();

function serve<Request>(
  api: Api<Request, unknown, never, never>,
  answer: (body: Request, version: number) => unknown,
): void {
  answers.set(api, answer as Answer);
}

serve(apis.metadata, metadata);
serve(apis.fetch, fetch);
serve(apis.initProducerId, () => ({ errorCode: 0, producerId: 1, producerEpoch: 0 }));
serve(apis.produce, ({ topicData }) => ({
  responses: topicData.map(({ name, partitionData }) => ({
    name,
    partitionResponses: partitionData.map(({ index }) => ({ index, errorCode: 0, baseOffset: nextOffset++ })),
  })),
}));
serve(apis.listOffsets, ({ topics }) => ({
  topics: topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: 0, offset: 0 })),
  })),
}));
serve(apis.findCoordinator, ({ key, coordinatorKeys }, version) =>
  version >= 4
    ? {
        coordinators: coordinatorKeys.map((one) => ({
          key: one,
          nodeId: 1,
          host: '127.0.0.1',
          port,
          errorCode: 0,
          errorMessage: null,
        })),
      }
    : { errorCode: 0, errorMessage: null, nodeId: 1, host: '127.0.0.1', port, key },
);
serve(apis.joinGroup, ({ protocols, memberId }, version) => ({
  errorCode: 0,
  generationId: 1,
  protocolType: version >= 7 ? 'consumer' : null,
  protocolName: protocols[0]?.name ?? '',
  leader: 'the-member',
  memberId: 'the-member',
  members: [{ memberId: 'the-member', metadata: protocols[0]?.metadata ?? new Uint8Array(), was: memberId }],
}));
serve(apis.syncGroup, ({ assignments }) => ({
  errorCode: 0,
  assignment: assignments[0]?.assignment ?? encodeAssignment({ assignedPartitions: [] }),
}));
serve(apis.heartbeat, () => ({ errorCode: 0 }));
serve(apis.leaveGroup, () => ({ errorCode: 0, members: [] }));
serve(apis.offsetFetch, ({ groups, topics }, version) => {
  const none = (
    list: readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] | null,
  ) =>
    (list ?? []).map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => ({
        partitionIndex,
        committedOffset: -1,
        committedLeaderEpoch: -1,
        metadata: '',
        errorCode: 0,
      })),
    }));
  return version >= 8
    ? {
        groups: groups.map((group) => ({ groupId: group.groupId, topics: none(group.topics), errorCode: 0 })),
      }
    : { topics: none(topics), errorCode: 0 };
});
serve(apis.offsetCommit, ({ topics }) => ({
  topics: topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: 0 })),
  })),
}));
serve(apis.apiVersions, () => ({
  errorCode: 0,
  apiKeys: Array.from(answers.keys(), (api) => ({
    apiKey: api.key,
    minVersion: api.advertisedMinVersion,
    maxVersion: api.maxVersion,
  })),
}));

function handle(socket: Socket, frame: Uint8Array): void {
  const header = decodeRequestHeader(frame);
  const { api, apiVersion, correlationId } = header;
  const answer = api === undefined ? undefined : answers.get(api);
  if (api === undefined || answer === undefined) {
    socket.destroy();
    return;
  }
  if (!header.supported) {
    const refusal = {
      errorCode: ErrorCode.UNSUPPORTED_VERSION,
      apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: 4 }],
    };
    write(socket, encodeResponse(apis.apiVersions, 0, correlationId, refusal));
    return;
  }
  // The table was filled by `serve`, whose types pair each API with its answer.
  const served = api as unknown as Api<unknown, unknown, never, unknown>;
  const body = decodeRequestBody(served, header, frame);
  write(socket, encodeResponse(served, apiVersion, correlationId, answer(body, apiVersion)));
}

function write(socket: Socket, parts: readonly Uint8Array[]): void {
  socket.cork();
  for (const part of parts) socket.write(part);
  socket.uncork();
}

/** As the real broker receives: into memory that is used again, so that a large request costs little more than its bytes. */
function receive(accepted: Socket): void {
  const shared = Buffer.allocUnsafeSlow(READ_BYTES);
  let kept = shared;
  const splitter = new FrameSplitter({
    memory: (size) => {
      if (size > kept.length) kept = Buffer.allocUnsafeSlow(size);
      return kept;
    },
  });
  const onFrame = (frame: Uint8Array): void => handle(socket, frame);
  let isInFrame = false;
  const options = {
    handle: (accepted as unknown as { readonly _handle: unknown })._handle,
    onread: {
      buffer: () => {
        const room = splitter.room();
        isInFrame = room !== null;
        return room ?? shared;
      },
      callback: (length: number, memory: Uint8Array) => {
        if (isInFrame) splitter.filled(length, onFrame);
        else splitter.push(memory.subarray(0, length), onFrame);
        return true;
      },
    },
  };
  const socket = new Socket(options as unknown as SocketConstructorOpts);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.resume();
}

const server = createServer({ noDelay: true, pauseOnConnect: true }, receive);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  console.log(JSON.stringify({ port }));
});
