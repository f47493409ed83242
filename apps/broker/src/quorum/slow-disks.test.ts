import { liveBrokers } from '@seatlog/metadata-quorum';
import { expect, it } from 'vitest';
import { MemoryCluster } from '../testing/memory-cluster.ts';

const NODES = [1, 2, 3];

it.each([300, 1200])(
  'F9: nodes elect a leader and start where each sync of a quorum state takes %i ms',
  async (syncMs) => {
    await using cluster = new MemoryCluster({ voters: NODES });
    const started = Promise.all(NODES.map((id) => cluster.begin(id)));
    for (const id of NODES) {
      cluster.node(id).files.fault = ({ name, path }) => {
        if (name !== 'sync' || !path.includes('quorum-state')) return undefined;
        // The node stands still, the others do not.
        cluster.freeze(id);
        cluster.clock.advance(syncMs);
        cluster.thaw(id);
        return undefined;
      };
    }
    await cluster.wait(started);
    for (const id of NODES) expect(liveBrokers(cluster.quorum(id).image)).toHaveLength(NODES.length);
  },
);
