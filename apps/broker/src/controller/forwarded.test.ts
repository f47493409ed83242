import { type Api, apis, ByteReader, ByteWriter, ErrorCode } from '@seatlog/kafka-protocol';
import type { ManualClock } from '@seatlog/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPartitions } from '../handlers/37-create-partitions.ts';
import { createTopics } from '../handlers/19-create-topics.ts';
import { deleteTopics } from '../handlers/20-delete-topics.ts';
import { incrementalAlterConfigs } from '../handlers/44-incremental-alter-configs.ts';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import type { PeerOutcome } from '../peers/peer-channel.ts';
import type { AdministrationDefinition } from './administration.ts';
import { APPLIED_LIMIT_MS } from './applied-here.ts';
import type { ControllerRequests } from './controller-requests.ts';
import { forwarded, type ForwardingServices } from './forwarded.ts';
import { MemoryQuorum } from './testing/memory-quorum.ts';

const CLIENT = { correlationId: 77, clientId: 'kafkajs', clientHost: '10.1.2.3' };

interface Sent {
  readonly timeoutMs: number;
  readonly body: { readonly requestData: Uint8Array; readonly clientHostAddress: Uint8Array };
}

/** A controller on one node, and a broker on another that follows its metadata when the test says so. */
class Bench {
  readonly controller = new MemoryBroker();
  readonly follower = new MemoryQuorum(2);
  readonly sent: Sent[] = [];
  readonly closed: string[] = [];
  /** Answers in the controller's place. */
  instead: ((done: (outcome: PeerOutcome<never>) => void) => void) | null = null;

  constructor() {
    this.follower.lead(1);
    this.follow();
  }

  follow(): void {
    this.follower.take(this.controller.metadata.image);
  }

  get clock(): ManualClock {
    return this.controller.clock;
  }

  ask<Request, Response, RequestIn, ResponseIn>(
    api: Api<Request, Response, RequestIn, ResponseIn>,
    definition: AdministrationDefinition,
    version: number,
    body: RequestIn,
  ): Response[] {
    const answers: Response[] = [];
    const request = new ByteWriter();
    api.writeRequest(request, version, body);
    const context = {
      ...CLIENT,
      apiKey: api.key,
      apiVersion: version,
      listenerName: 'PLAINTEXT',
      isConnected: () => true,
      onDisconnect: () => {},
      onSent: () => {},
      closeConnection: (reason: string) => this.closed.push(reason),
    };
    const handle = forwarded(definition).create(this.#services());
    handle(api.readRequest(new ByteReader(request.toBytes()), version), context, (response) => {
      const written = new ByteWriter();
      api.writeResponse(written, version, response as ResponseIn);
      answers.push(api.readResponse(new ByteReader(written.toBytes()), version));
    });
    return answers;
  }

  #services(): ForwardingServices {
    const { services } = this.controller;
    const controllerChannel: ControllerRequests = {
      send: (api, version, body, options, done) => {
        this.sent.push({ timeoutMs: options.timeoutMs, body: body as Sent['body'] });
        if (this.instead === null) services.controllerChannel.send(api, version, body, options, done);
        else this.instead(done);
      },
    };
    return { ...services, metadata: this.follower, controllerChannel };
  }
}

function topic(name: string, timeoutMs = 30_000, validateOnly = false) {
  return {
    topics: [{ name, numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] }],
    timeoutMs,
    validateOnly,
  };
}

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

describe('a request that is the controller’s', () => {
  it.each([2, 3, 4, 5, 6, 7])(
    'CreateTopics %i goes there as the client sent it, and is answered in its version',
    (version) => {
      const answers = bench.ask(apis.createTopics, createTopics, version, topic('a'));
      bench.follow();
      expect(answers).toMatchObject([{ topics: [{ name: 'a', errorCode: 0 }] }]);
      const { requestData, clientHostAddress } = bench.sent[0]?.body ?? {};
      const header = new ByteReader(requestData ?? new Uint8Array(0));
      expect([header.int16(), header.int16(), header.int32(), header.nullableString()]).toEqual([
        19,
        version,
        77,
        'kafkajs',
      ]);
      expect([...(clientHostAddress ?? [])]).toEqual([10, 1, 2, 3]);
    },
  );

  it('is refused by the controller as it would be at its own listener', () => {
    const [answer] = bench.ask(apis.createTopics, createTopics, 7, topic('no/such'));
    expect(answer?.topics[0]).toMatchObject({ errorCode: ErrorCode.INVALID_TOPIC_EXCEPTION });
  });

  it('gets as long as the client gives it, and a minute if the client cannot say', () => {
    bench.ask(apis.createTopics, createTopics, 7, topic('a', 4000));
    bench.ask(apis.createTopics, createTopics, 7, topic('b', 0));
    bench.ask(apis.incrementalAlterConfigs, incrementalAlterConfigs, 1, {
      resources: [],
      validateOnly: false,
    });
    expect(bench.sent.map(({ timeoutMs }) => timeoutMs)).toEqual([4000, 1000, 60_000]);
  });
});

describe('the answer waits until this broker has applied the change', () => {
  it('a topic that is created', () => {
    const answers = bench.ask(apis.createTopics, createTopics, 7, topic('a'));
    expect(answers).toEqual([]);
    bench.follow();
    expect(answers).toHaveLength(1);
  });

  it('but not for ever', () => {
    const answers = bench.ask(apis.createTopics, createTopics, 7, topic('a'));
    bench.clock.advance(APPLIED_LIMIT_MS - 1);
    expect(answers).toEqual([]);
    bench.clock.advance(1);
    expect(answers).toMatchObject([{ topics: [{ errorCode: 0 }] }]);
    bench.follow();
    expect([answers.length, bench.clock.pending]).toEqual([1, 0]);
  });

  it('and not where nothing changes', () => {
    expect(bench.ask(apis.createTopics, createTopics, 7, topic('a', 1000, true))).toHaveLength(1);
    expect(bench.ask(apis.createTopics, createTopics, 7, topic('no/such'))).toHaveLength(1);
  });

  it('topics that go, partitions that come, configs that change', () => {
    bench.ask(apis.createTopics, createTopics, 7, topic('a'));
    bench.ask(apis.createTopics, createTopics, 7, topic('b'));
    bench.follow();
    const grown = bench.ask(apis.createPartitions, createPartitions, 3, {
      topics: [{ name: 'a', count: 5, assignments: null }],
      timeoutMs: 1000,
      validateOnly: false,
    });
    const altered = bench.ask(apis.incrementalAlterConfigs, incrementalAlterConfigs, 1, {
      resources: [
        {
          resourceType: 2,
          resourceName: 'a',
          configs: [{ name: 'min.insync.replicas', configOperation: 0, value: '1' }],
        },
      ],
      validateOnly: false,
    });
    const deleted = bench.ask(apis.deleteTopics, deleteTopics, 5, { topicNames: ['b'], timeoutMs: 1000 });
    expect([grown, altered, deleted]).toEqual([[], [], []]);
    bench.follow();
    expect(grown).toMatchObject([{ results: [{ errorCode: 0 }] }]);
    expect(altered).toMatchObject([{ responses: [{ errorCode: 0 }] }]);
    expect(deleted).toMatchObject([{ responses: [{ name: 'b', errorCode: 0 }] }]);
  });
});

describe('a request that finds no controller', () => {
  it('is answered with REQUEST_TIMED_OUT, in its API’s own form', () => {
    bench.instead = (done) => done({ kind: 'failed', reason: 'no controller is known' });
    expect(bench.ask(apis.createTopics, createTopics, 7, topic('a'))).toMatchObject([
      { topics: [{ name: 'a', errorCode: ErrorCode.REQUEST_TIMED_OUT }] },
    ]);
    expect(bench.ask(apis.deleteTopics, deleteTopics, 1, { topicNames: ['b'], timeoutMs: 1 })).toMatchObject([
      { responses: [{ name: 'b', errorCode: ErrorCode.REQUEST_TIMED_OUT }] },
    ]);
  });

  it('or one of another version has its connection closed, so that the client asks for versions again', () => {
    bench.instead = (done) =>
      done({
        kind: 'answered',
        response: { responseData: null, errorCode: ErrorCode.UNSUPPORTED_VERSION } as never,
      });
    expect(bench.ask(apis.createTopics, createTopics, 7, topic('a'))).toEqual([]);
    expect(bench.closed).toEqual(['the controller does not serve CreateTopics 7']);
  });
});

it('a topic that is deleted and comes again under its name is gone all the same', () => {
  bench.ask(apis.createTopics, createTopics, 7, topic('a'));
  bench.follow();
  const deleted = bench.ask(apis.deleteTopics, deleteTopics, 5, { topicNames: ['a'], timeoutMs: 1000 });
  bench.ask(apis.createTopics, createTopics, 7, topic('a'));
  bench.follow();
  expect(deleted).toHaveLength(1);
});
