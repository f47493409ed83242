import { describe, expect, it } from 'vitest';
import { brokerProperties, formatProperties } from './broker-properties.ts';

const plan = {
  nodeId: 2,
  ports: { kafka: 20001, controller: 20002, http: 20003 },
  voters: '2@127.0.0.1:20002',
  logDirectory: '/data/broker-2',
};

describe('broker properties', () => {
  it('are those of a node that is its own quorum', () => {
    expect(brokerProperties(plan)).toMatchObject({
      'node.id': '2',
      listeners: 'PLAINTEXT://127.0.0.1:20001,CONTROLLER://127.0.0.1:20002',
      'advertised.listeners': 'PLAINTEXT://127.0.0.1:20001',
      'log.dirs': '/data/broker-2',
      'seatlog.http.listener': '127.0.0.1:20003',
      'offsets.topic.replication.factor': '1',
      'min.insync.replicas': '1',
    });
  });

  it('keep three replicas, two in sync, from three nodes on', () => {
    const voters = '1@h:1,2@h:2,3@h:3';
    const replication = {
      'offsets.topic.replication.factor': '3',
      'default.replication.factor': '3',
      'min.insync.replicas': '2',
    };
    expect(brokerProperties({ ...plan, voters })).toMatchObject(replication);
    expect(brokerProperties({ ...plan, voters: `${voters},4@h:4,5@h:5` })).toMatchObject(replication);
  });

  it('are those of a node with one role', () => {
    const voters = '100@127.0.0.1:20102';
    const cluster = { voters, brokers: 3, clusterId: 'cccccccccccccccccccccQ' };
    const broker = brokerProperties({ ...plan, ...cluster, roles: ['broker'], advertisedPort: 20009 });
    expect(broker).toMatchObject({
      'process.roles': 'broker',
      'cluster.id': 'cccccccccccccccccccccQ',
      listeners: 'PLAINTEXT://127.0.0.1:20001',
      'advertised.listeners': 'PLAINTEXT://127.0.0.1:20009',
      'min.insync.replicas': '2',
    });
    const controller = brokerProperties({ ...plan, ...cluster, nodeId: 100, roles: ['controller'] });
    expect(controller).toMatchObject({
      'process.roles': 'controller',
      listeners: 'CONTROLLER://127.0.0.1:20002',
    });
    expect(controller).not.toHaveProperty('advertised.listeners');
  });

  it('are written a line each', () => {
    expect(formatProperties({ a: '1', 'b.c': 'x=y' })).toBe('a=1\nb.c=x=y\n');
  });
});
