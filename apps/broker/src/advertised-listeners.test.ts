import { describe, expect, it } from 'vitest';
import { advertisedListeners } from './advertised-listeners.ts';
import { loadConfig } from './config/load.ts';
import { nodeRoles } from './config/node-roles.ts';

const valuesOf = (overrides: Record<string, string>) =>
  loadConfig({ overrides: new Map(Object.entries(overrides)) }).config.values;

describe('advertisedListeners', () => {
  it('tells the host of the listener, or this machine where it is on every interface, with the bound port', async () => {
    const values = valuesOf({
      listeners: 'PLAINTEXT://:0,LOCAL://127.0.0.1:0',
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,LOCAL:PLAINTEXT',
    });
    const bound = [
      { name: 'PLAINTEXT', host: '::', port: 5001 },
      { name: 'LOCAL', host: '127.0.0.1', port: 5002 },
    ];
    expect(await advertisedListeners(values, bound, async () => 'here')).toEqual([
      { name: 'PLAINTEXT', host: 'here', port: 5001 },
      { name: 'LOCAL', host: '127.0.0.1', port: 5002 },
    ]);
  });

  it('tells what is configured, and the bound port where that is 0', async () => {
    const values = valuesOf({
      listeners: 'PLAINTEXT://0.0.0.0:9092',
      'advertised.listeners': 'PLAINTEXT://broker.example:19092',
    });
    const bound = [{ name: 'PLAINTEXT', host: '0.0.0.0', port: 9092 }];
    const unasked = () => Promise.reject(new Error('nobody needs the name of this machine'));
    expect(await advertisedListeners(values, bound, unasked)).toEqual([
      { name: 'PLAINTEXT', host: 'broker.example', port: 19_092 },
    ]);
  });
});

it('leaves controller listeners out', () => {
  const values = valuesOf({
    listeners: 'PLAINTEXT://:9092,CONTROLLER://:9093',
    'controller.listener.names': 'CONTROLLER',
  });
  expect(nodeRoles(values).clientListeners.map(({ name }) => name)).toEqual(['PLAINTEXT']);
});
