import { describe, expect, it } from 'vitest';
import { folderOfTest } from '../testing/temporary-folder.ts';
import { clusterIdIn } from './cluster-id.ts';
import { combinedNodes, isBroker, isController, separateNodes } from './node-plans.ts';

describe('node plans', () => {
  it('have both roles in each node', () => {
    expect(combinedNodes(3).map(({ nodeId }) => nodeId)).toEqual([1, 2, 3]);
    expect(combinedNodes(3).every((plan) => isBroker(plan) && isController(plan))).toBe(true);
  });

  it('have one role in each node', () => {
    const plans = separateNodes({ controllers: [100], brokers: [1, 2, 3] });
    expect(plans.filter(isController).map(({ nodeId }) => nodeId)).toEqual([100]);
    expect(plans.filter(isBroker).map(({ nodeId }) => nodeId)).toEqual([1, 2, 3]);
  });
});

describe('the cluster id', () => {
  it('is made once for a folder, in Kafka’s form', () => {
    const { path } = folderOfTest();
    const id = clusterIdIn(path);
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(clusterIdIn(path)).toBe(id);
    expect(clusterIdIn(folderOfTest().path)).not.toBe(id);
  });
});
