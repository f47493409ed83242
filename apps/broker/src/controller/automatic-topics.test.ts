import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { ManualClock } from '@seatlog/runtime/testing';
import { beforeEach, expect, it } from 'vitest';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import { AutomaticTopics, type CreationFailure } from './automatic-topics.ts';
import { MemoryQuorum } from './testing/memory-quorum.ts';

let controller: MemoryBroker;
let follower: MemoryQuorum;
let clock: ManualClock;
let topics: AutomaticTopics;
let sent: string[][];
let refuse: string | null;

function topic(name: string, replicationFactor = 1) {
  return { name, numPartitions: 1, replicationFactor, assignments: [], configs: [] };
}

/** What each `create` was told, as it comes. */
function create(...names: readonly string[]): ReadonlyMap<string, CreationFailure>[] {
  const told: ReadonlyMap<string, CreationFailure>[] = [];
  topics.create(
    names.map((name) => topic(name)),
    (failures) => told.push(failures),
  );
  return told;
}

function follow(): void {
  follower.take(controller.metadata.image);
}

beforeEach(() => {
  controller = new MemoryBroker();
  follower = new MemoryQuorum(2);
  follower.lead(1);
  clock = new ManualClock();
  sent = [];
  refuse = null;
  follow();
  topics = new AutomaticTopics({
    metadata: follower,
    timers: clock,
    controllerChannel: {
      send: (api, version, body, options, done) => {
        if (api.key === apis.createTopics.key) {
          sent.push((body as { topics: { name: string }[] }).topics.map(({ name }) => name));
        }
        if (refuse !== null) done({ kind: 'failed', reason: refuse });
        else controller.services.controllerChannel.send(api, version, body, options, done);
      },
    },
  });
});

it('answers once this broker knows the leaders of the topics', () => {
  const told = create('a', 'b');
  expect([sent, told]).toEqual([[['a', 'b']], []]);
  follow();
  expect(told).toEqual([new Map()]);
});

it('asks once for a topic that several want at the same time', () => {
  const first = create('a');
  const second = create('a', 'b');
  expect(sent).toEqual([['a'], ['b']]);
  follow();
  expect([first, second]).toEqual([[new Map()], [new Map()]]);
  create('a');
  expect(sent).toHaveLength(3);
});

it('takes a topic that exists already for created', () => {
  create('a');
  const again = create('a');
  follow();
  expect([again, create('a')]).toEqual([[new Map()], [new Map()]]);
});

it('tells of each topic why it was not created', () => {
  const told: ReadonlyMap<string, CreationFailure>[] = [];
  topics.create([topic('a', 3), topic('b')], (failures) => told.push(failures));
  follow();
  expect(told.map((failures) => [...failures].map(([name, { errorCode }]) => [name, errorCode]))).toEqual([
    [['a', ErrorCode.INVALID_REPLICATION_FACTOR]],
  ]);
});

it('tells that the controller did not answer', () => {
  refuse = 'no controller is known';
  expect(create('a')).toEqual([
    new Map([['a', { errorCode: ErrorCode.REQUEST_TIMED_OUT, errorMessage: 'no controller is known' }]]),
  ]);
  refuse = null;
  const told = create('a');
  follow();
  expect(told).toEqual([new Map()]);
});

it('answers at once when nothing is asked for', () => {
  expect([create(), sent]).toEqual([[new Map()], []]);
});
