import { MemoryFileSystem, SeededRandom } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import { clusterIdFor } from './cluster-id.ts';
import { loadConfig } from './config/load.ts';

const oneOfSeveral = {
  'process.roles': 'broker',
  'node.id': '4',
  'controller.quorum.voters': '1@a:9093',
};

function clusterId(overrides: Record<string, string>, files = new MemoryFileSystem()): string {
  const { values } = loadConfig({ overrides: new Map(Object.entries(overrides)) }).config;
  return clusterIdFor(values, '/logs', files, new SeededRandom(1));
}

describe('the cluster id', () => {
  it('is made up by a node that is its own quorum', () => {
    expect(clusterId({})).toHaveLength(22);
  });

  it('must be given to a fresh node that is one of several', () => {
    expect(() => clusterId(oneOfSeveral)).toThrow(expect.objectContaining({ key: 'cluster.id' }));
    expect(clusterId({ ...oneOfSeveral, 'cluster.id': 'wlRg8jBZQhqo0Y-qbWmJZA' })).toBe(
      'wlRg8jBZQhqo0Y-qbWmJZA',
    );
  });

  it('stands in the log directory from then on', () => {
    const files = new MemoryFileSystem();
    files.makeDirectory('/logs');
    files.tamper('/logs/meta.properties', () => Buffer.from('cluster.id=wlRg8jBZQhqo0Y-qbWmJZA\n'));
    expect(clusterId(oneOfSeveral, files)).toBe('wlRg8jBZQhqo0Y-qbWmJZA');
  });
});
