import { ErrorCode } from '@seatlog/kafka-protocol';
import { ManualClock, SeededRandom } from '@seatlog/runtime/testing';
import { expect, it } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { ControllerRequests } from '../controller/controller-requests.ts';
import { MemoryQuorum } from '../controller/testing/memory-quorum.ts';
import { silentLogger } from '../logger.ts';
import { BrokerLifecycle } from './broker-lifecycle.ts';

/** Its requests get this answer, or none. */
function lifecycleWith(answer: object | null): { lifecycle: BrokerLifecycle; clock: ManualClock } {
  const clock = new ManualClock();
  const channel: ControllerRequests = {
    send: (_api, _version, _body, _options, done) => {
      if (answer !== null) clock.schedule(0, () => done({ kind: 'answered', response: answer as never }));
    },
  };
  const lifecycle = new BrokerLifecycle({
    quorum: new MemoryQuorum(1),
    channel,
    config: loadConfig({}).config,
    clock,
    timers: clock,
    random: new SeededRandom(1),
    log: silentLogger,
    directoryId: 'AAAAAAAAAAAAAAAAAAAABQ',
    previousBrokerEpoch: null,
  });
  return { lifecycle, clock };
}

it('a cluster that does not take the broker ends its registration', async () => {
  const { lifecycle, clock } = lifecycleWith({
    errorCode: ErrorCode.INCONSISTENT_CLUSTER_ID,
    brokerEpoch: -1,
  });
  const registered = lifecycle.register([]);
  clock.advance(0);
  await expect(registered).rejects.toThrow('INCONSISTENT_CLUSTER_ID');
  expect([lifecycle.state, clock.pending]).toEqual(['stopped', 0]);
});

it('a broker that stops before it is registered asks nobody for leave', async () => {
  const { lifecycle, clock } = lifecycleWith(null);
  const registered = lifecycle.register([]);
  await lifecycle.beginControlledShutdown();
  lifecycle.stop();
  await expect(registered).rejects.toThrow('before it was registered');
  expect(clock.pending).toBe(0);
});
