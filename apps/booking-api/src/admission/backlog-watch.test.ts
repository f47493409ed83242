import { createLogger } from '@seatlog/observability';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../testing/api-fixture.ts';
import { BacklogWatch, type BacklogWatchOptions } from './backlog-watch.ts';

const TOPIC = 'reservation-events';

/** An admin that knows one topic of three partitions. */
function adminOf(offsets: {
  readonly committed: readonly (number | null)[];
  readonly earliest: readonly number[];
  readonly latest: readonly number[];
}): BacklogWatchOptions['admin'] {
  const partitions = [0, 1, 2];
  const nobody = { leader: 1, leaderEpoch: 0, replicas: [1], isr: [1], offlineReplicas: [] };
  return {
    describeTopics: async () => [
      {
        name: TOPIC,
        topicId: null,
        internal: false,
        partitions: partitions.map((partition) => ({ partition, ...nobody })),
      },
    ],
    fetchOffsets: async () =>
      partitions.map((partition) => ({
        topic: TOPIC,
        partition,
        offset: offsets.committed[partition] ?? null,
        leaderEpoch: null,
        metadata: '',
      })),
    listOffsets: async (_, spec) =>
      partitions.map((partition) => ({
        topic: TOPIC,
        partition,
        offset: (spec === 'latest' ? offsets.latest : offsets.earliest)[partition] ?? null,
        timestamp: null,
        leaderEpoch: null,
      })),
  };
}

describe('watching the backlog', () => {
  let watch: BacklogWatch | undefined;
  afterEach(() => watch?.stop());

  function started(admin: BacklogWatchOptions['admin']): BacklogWatch {
    const logger = createLogger({ service: 'test', level: 'silent' });
    watch = new BacklogWatch({ admin, group: 'db-writer', logger });
    watch.start();
    return watch;
  }

  it('sums what is not handled yet; a partition without a commit is read from its start', async () => {
    const watching = started(
      adminOf({ committed: [40, null, 7], earliest: [0, 10, 0], latest: [50, 15, 7] }),
    );
    await until(() => watching.lag !== null);
    expect(watching.lag).toBe(15);
  });

  it('is unknown, and holds nobody back, while it cannot be sampled', async () => {
    let asked = 0;
    const watching = started({
      ...adminOf({ committed: [], earliest: [], latest: [] }),
      describeTopics: () => {
        asked += 1;
        return Promise.reject(new Error('no broker answers'));
      },
    });
    await until(() => asked > 0);
    expect([watching.lag, watching.estimatedDrainMs()]).toEqual([null, null]);
  });
});
