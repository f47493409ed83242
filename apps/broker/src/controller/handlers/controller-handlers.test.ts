import {
  type Api,
  apis,
  decodeResponse,
  encodeRequest,
  ErrorCode,
  type ResponseOf,
  ZERO_UUID,
} from '@seatlog/kafka-protocol';
import { createTopics, partitionOf } from '@seatlog/metadata-quorum';
import { ManualClock, SeededRandom } from '@seatlog/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { controllerSchema } from '../../config/controller-schema.ts';
import { loadConfig } from '../../config/load.ts';
import { silentLogger } from '../../logger.ts';
import { createMetrics } from '../../metrics.ts';
import type { ControllerServices } from '../../quorum/controller-services.ts';
import { ActiveControllerService } from '../active-controller-service.ts';
import { LocalController } from '../local-controller.ts';
import { CLUSTER_ID, MemoryQuorum } from '../testing/memory-quorum.ts';

const CONTROLLER = 100;
const SIZE_BYTES = 4;
const INCARNATION = 'AAAAAAAAAAAAAAAAAAAABQ';

let quorum: MemoryQuorum;
let controller: LocalController;
let services: ControllerServices;

beforeEach(() => {
  quorum = new MemoryQuorum(CONTROLLER);
  const { config } = loadConfig({});
  const clock = new ManualClock();
  const schema = controllerSchema(config);
  const options = {
    quorum,
    config,
    schema,
    clock,
    timers: clock,
    random: new SeededRandom(5),
    log: silentLogger,
    metrics: createMetrics(),
  };
  const topicCreation = {
    defaults: { numPartitions: 1, replicationFactor: 1 },
    schema,
    random: options.random,
  };
  // The handlers that are asked here use no more than this.
  services = {
    ...options,
    metadata: quorum,
    controller: new ActiveControllerService(options),
    topicCreation,
  } as unknown as ControllerServices;
  controller = new LocalController(services);
});

function ask<Response, RequestIn>(
  api: Api<unknown, Response, RequestIn, never>,
  version: number,
  body: RequestIn,
): Response {
  const answers: Response[] = [];
  controller.ask(api, version, body, (outcome) => {
    if (outcome.kind === 'answered') answers.push(outcome.response);
  });
  const [answer] = answers;
  if (answer === undefined) throw new Error(`${api.name} was not answered`);
  return answer;
}

function register(brokerId: number, version: number = apis.brokerRegistration.maxVersion) {
  return ask(apis.brokerRegistration, version, {
    brokerId,
    clusterId: CLUSTER_ID,
    incarnationId: INCARNATION,
    listeners: [{ name: 'PLAINTEXT', host: 'localhost', port: 9092, securityProtocol: 0 }],
    features: [],
    rack: null,
  });
}

function beat(brokerId: number, brokerEpoch: number, version: number = apis.brokerHeartbeat.maxVersion) {
  return ask(apis.brokerHeartbeat, version, {
    brokerId,
    brokerEpoch,
    currentMetadataOffset: brokerEpoch,
    wantFence: false,
    wantShutDown: false,
    offlineLogDirs: [],
  });
}

/** Broker 1 and 2, live, with topic `t` on both; gives its id. */
function withTopic(): string {
  for (const id of [1, 2]) beat(id, register(id).brokerEpoch);
  const topic = { name: 't', numPartitions: 1, replicationFactor: 2, assignments: [], configs: [] };
  quorum.change(
    (image) => createTopics(image, { topics: [topic], validateOnly: false }, services.topicCreation),
    () => {},
  );
  return quorum.image.topics.get('t')?.id ?? ZERO_UUID;
}

describe('BrokerRegistration and BrokerHeartbeat', () => {
  it.each([0, 1, 2, 3, 4])('registration version %i gives the offset of its record as epoch', (version) => {
    expect(register(1, version)).toMatchObject({
      errorCode: 0,
      brokerEpoch: quorum.image.brokers.get(1)?.epoch,
    });
  });

  it.each([0, 1, 2])(
    'heartbeat version %i tells that the broker has caught up and is unfenced',
    (version) => {
      const { brokerEpoch } = register(1);
      expect(beat(1, brokerEpoch, version)).toMatchObject({
        errorCode: 0,
        isCaughtUp: true,
        isFenced: false,
        shouldShutDown: false,
      });
    },
  );

  it('a broker of another cluster is refused with INCONSISTENT_CLUSTER_ID', () => {
    const answer = ask(apis.brokerRegistration, 4, {
      brokerId: 1,
      clusterId: 'AnotherClusterIdAAAAAA',
      incarnationId: INCARNATION,
      listeners: [],
      features: [],
      rack: null,
    });
    expect(answer).toMatchObject({ errorCode: ErrorCode.INCONSISTENT_CLUSTER_ID, brokerEpoch: -1 });
    expect(quorum.image.brokers.size).toBe(0);
  });
});

describe('R13: AlterPartition', () => {
  function propose(version: number, topicId: string, isr: readonly number[], more: object = {}) {
    const partition = partitionOf(quorum.image, 't', 0);
    const brokerId = partition?.leader ?? -1;
    return ask(apis.alterPartition, version, {
      brokerId,
      brokerEpoch: quorum.image.brokers.get(brokerId)?.epoch ?? -1,
      topics: [
        {
          topicId,
          partitions: [
            {
              partitionIndex: 0,
              leaderEpoch: partition?.leaderEpoch ?? -1,
              partitionEpoch: partition?.partitionEpoch ?? -1,
              ...(version >= 3
                ? {
                    newIsrWithEpochs: isr.map((id) => ({
                      brokerId: id,
                      brokerEpoch: quorum.image.brokers.get(id)?.epoch ?? -1,
                    })),
                  }
                : { newIsr: [...isr] }),
              ...more,
            },
          ],
        },
      ],
    });
  }

  it.each([2, 3])('version %i changes the ISR, and answers with the partition as it is then', (version) => {
    const topicId = withTopic();
    const leader = partitionOf(quorum.image, 't', 0)?.leader ?? -1;
    expect(propose(version, topicId, [leader])).toMatchObject({
      errorCode: 0,
      topics: [
        { topicId, partitions: [{ errorCode: 0, leaderId: leader, isr: [leader], partitionEpoch: 1 }] },
      ],
    });
    expect(partitionOf(quorum.image, 't', 0)?.isr).toEqual([leader]);
  });

  it.each<[string, number, object]>([
    ['an older leader epoch', ErrorCode.FENCED_LEADER_EPOCH, { leaderEpoch: -1 }],
    ['a newer one', ErrorCode.NOT_CONTROLLER, { leaderEpoch: 7 }],
    ['an older partition epoch', ErrorCode.INVALID_UPDATE_VERSION, { partitionEpoch: -1 }],
  ])('with %s is refused, and nothing changes', (_what, errorCode, more) => {
    const topicId = withTopic();
    const before = quorum.image;
    const answer = propose(3, topicId, [1, 2], more);
    expect(answer.topics[0]?.partitions[0]).toMatchObject({ errorCode });
    expect(quorum.image).toBe(before);
  });

  it('with the epoch of another incarnation of a member: INELIGIBLE_REPLICA', () => {
    const topicId = withTopic();
    const isr = [1, 2].map((brokerId) => ({ brokerId, brokerEpoch: 1 }));
    const answer = propose(3, topicId, [1, 2], { newIsrWithEpochs: isr });
    expect(answer.topics[0]?.partitions[0]).toMatchObject({ errorCode: ErrorCode.INELIGIBLE_REPLICA });
  });

  it('from an earlier incarnation of the leader: STALE_BROKER_EPOCH', () => {
    withTopic();
    const answer = ask(apis.alterPartition, 3, { brokerId: 1, brokerEpoch: 0, topics: [] });
    expect(answer).toMatchObject({ errorCode: ErrorCode.STALE_BROKER_EPOCH, topics: [] });
  });
});

describe('AllocateProducerIds', () => {
  it('gives blocks that do not meet', () => {
    const one = register(1).brokerEpoch;
    const first = ask(apis.allocateProducerIds, 0, { brokerId: 1, brokerEpoch: one });
    const second = ask(apis.allocateProducerIds, 0, { brokerId: 1, brokerEpoch: one });
    expect([first, second]).toMatchObject([
      { errorCode: 0, producerIdStart: 0, producerIdLen: 1000 },
      { errorCode: 0, producerIdStart: 1000, producerIdLen: 1000 },
    ]);
  });

  it('gives none to an epoch that is not the broker’s', () => {
    register(1);
    expect(ask(apis.allocateProducerIds, 0, { brokerId: 1, brokerEpoch: 99 })).toMatchObject({
      errorCode: ErrorCode.STALE_BROKER_EPOCH,
      producerIdLen: 0,
    });
  });
});

describe('Envelope', () => {
  function wrapped(requestData: Uint8Array) {
    return ask(apis.envelope, 0, {
      requestData,
      requestPrincipal: null,
      clientHostAddress: Uint8Array.of(10, 0, 0, 1),
    });
  }

  function createRequest(version: number): Uint8Array {
    const body = {
      topics: [{ name: 'wrapped', numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }],
      timeoutMs: 1000,
      validateOnly: false,
    };
    return Buffer.concat(encodeRequest(apis.createTopics, version, 41, 'admin', body)).subarray(SIZE_BYTES);
  }

  function inside(answer: ResponseOf<typeof apis.envelope>, version: number) {
    return decodeResponse(apis.createTopics, version, answer.responseData ?? new Uint8Array(0));
  }

  it.each([2, 5, 7])('carries CreateTopics %i, whose answer bears the client’s correlation id', (version) => {
    withTopic();
    const answer = wrapped(createRequest(version));
    expect(answer.errorCode).toBe(0);
    expect(inside(answer, version)).toMatchObject({
      correlationId: 41,
      body: { topics: [{ name: 'wrapped', errorCode: 0 }] },
    });
    expect(quorum.image.topics.has('wrapped')).toBe(true);
  });

  it('says NOT_CONTROLLER itself where this node is not, or no longer', () => {
    withTopic();
    quorum.failWith = { errorCode: ErrorCode.NOT_CONTROLLER, message: 'the term has ended' };
    expect(wrapped(createRequest(7))).toMatchObject({
      errorCode: ErrorCode.NOT_CONTROLLER,
      responseData: null,
    });
    quorum.failWith = null;
    quorum.lead(101);
    expect(wrapped(createRequest(7))).toMatchObject({
      errorCode: ErrorCode.NOT_CONTROLLER,
      responseData: null,
    });
  });

  it('refuses what is not administration, versions that are not served, and what is no request', () => {
    const produce = createRequest(7);
    produce[1] = apis.produce.key;
    const unserved = createRequest(7);
    unserved[3] = 99;
    expect(
      [produce, unserved, Uint8Array.of(0, 19, 0), createRequest(7).subarray(0, 20)].map(
        (bytes) => wrapped(bytes).errorCode,
      ),
    ).toEqual([
      ErrorCode.INVALID_REQUEST,
      ErrorCode.UNSUPPORTED_VERSION,
      ErrorCode.INVALID_REQUEST,
      ErrorCode.INVALID_REQUEST,
    ]);
  });
});

describe('a node that is not the active controller answers NOT_CONTROLLER in each API’s own form', () => {
  const NOT_CONTROLLER = { errorCode: ErrorCode.NOT_CONTROLLER };
  const config = { name: 'retention.ms', value: '1' };

  beforeEach(() => quorum.lead(101));

  it('of brokers', () => {
    expect(register(1)).toMatchObject({ ...NOT_CONTROLLER, brokerEpoch: -1 });
    expect(beat(1, 1)).toMatchObject(NOT_CONTROLLER);
    expect(ask(apis.allocateProducerIds, 0, { brokerId: 1, brokerEpoch: 1 })).toMatchObject(NOT_CONTROLLER);
    expect(ask(apis.alterPartition, 3, { brokerId: 1, topics: [] })).toMatchObject(NOT_CONTROLLER);
  });

  it('of administration', () => {
    const topic = { name: 't', numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };
    expect(
      ask(apis.createTopics, 7, { topics: [topic], timeoutMs: 1, validateOnly: false }).topics,
    ).toMatchObject([{ name: 't', ...NOT_CONTROLLER }]);
    expect(ask(apis.deleteTopics, 5, { topicNames: ['t'], timeoutMs: 1 }).responses).toMatchObject([
      { name: 't', ...NOT_CONTROLLER },
    ]);
    expect(
      ask(apis.createPartitions, 3, {
        topics: [{ name: 't', count: 2, assignments: null }],
        timeoutMs: 1,
        validateOnly: false,
      }).results,
    ).toMatchObject([{ name: 't', ...NOT_CONTROLLER }]);
    const resource = { resourceType: 2, resourceName: 't' };
    expect(
      ask(apis.incrementalAlterConfigs, 1, {
        resources: [{ ...resource, configs: [{ ...config, configOperation: 0 }] }],
        validateOnly: false,
      }).responses,
    ).toMatchObject([{ ...resource, ...NOT_CONTROLLER }]);
    expect(
      ask(apis.alterConfigs, 2, { resources: [{ ...resource, configs: [config] }], validateOnly: false })
        .responses,
    ).toMatchObject([{ ...resource, ...NOT_CONTROLLER }]);
  });
});
