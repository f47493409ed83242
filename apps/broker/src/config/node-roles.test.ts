import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { loadConfig } from './load.ts';
import { nodeRoles } from './node-roles.ts';

function rolesOf(overrides: Record<string, string>) {
  return nodeRoles(loadConfig({ overrides: new Map(Object.entries(overrides)) }).config.values);
}

function refusal(overrides: Record<string, string>): string {
  try {
    rolesOf(overrides);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was taken');
}

const three = '1@a:9093,2@b:9093,3@c:9093';
const controller = {
  'process.roles': 'controller',
  'node.id': '1',
  'controller.quorum.voters': three,
  'controller.listener.names': 'CONTROLLER',
  listeners: 'CONTROLLER://:9093',
};
const broker = { 'process.roles': 'broker', 'node.id': '4', 'controller.quorum.voters': three };
const both = {
  'node.id': '2',
  'controller.quorum.voters': three,
  'controller.listener.names': 'CONTROLLER',
  listeners: 'PLAINTEXT://:9092,CONTROLLER://:9093',
};

describe('the roles of a node', () => {
  it('are both, in a quorum of its own, unless something is said', () => {
    expect(rolesOf({})).toMatchObject({ isBroker: true, isController: true, voters: [] });
    expect(rolesOf({}).controllerListeners).toEqual([]);
  });

  it('split the listeners among clients and controllers', () => {
    const roles = rolesOf(both);
    expect(roles.clientListeners.map(({ name }) => name)).toEqual(['PLAINTEXT']);
    expect(roles.controllerListeners.map(({ name }) => name)).toEqual(['CONTROLLER']);
    expect(roles.voters).toEqual([
      { id: 1, host: 'a', port: 9093 },
      { id: 2, host: 'b', port: 9093 },
      { id: 3, host: 'c', port: 9093 },
    ]);
  });

  it('may be one of the two', () => {
    expect(rolesOf(controller)).toMatchObject({ isBroker: false, isController: true });
    expect(rolesOf(broker)).toMatchObject({ isBroker: true, isController: false });
    expect(rolesOf({ ...broker, 'controller.quorum.voters': '9@[::1]:9093' }).voters).toEqual([
      { id: 9, host: '::1', port: 9093 },
    ]);
  });

  it.each([
    ['no role at all', { 'process.roles': '' }, /^process\.roles: /],
    ['a role twice', { 'process.roles': 'broker,broker' }, /^process\.roles: /],
    ['an unknown role', { 'process.roles': 'zookeeper' }, /^process\.roles: /],
    ['a broker that knows no voters', { 'process.roles': 'broker' }, /^controller\.quorum\.voters: name/],
    ['a voter without a port', { ...broker, 'controller.quorum.voters': '1@a' }, /'1@a' is not of the form/],
    ['port 0', { ...broker, 'controller.quorum.voters': '1@a:0' }, /is not of the form/],
    ['a voter twice', { ...broker, 'controller.quorum.voters': '1@a:1,1@b:1,2@c:1' }, /node 1 stands twice/],
    ['two voters', { ...broker, 'controller.quorum.voters': '1@a:1,2@b:1' }, /and 2 are named/],
    ['a controller that does not vote', { ...controller, 'node.id': '7' }, /node\.id 7 is not among them/],
    ['a broker that votes', { ...broker, 'node.id': '3' }, /node\.id 3 is among them/],
    [
      'a controller without a listener of its own',
      { ...both, 'controller.listener.names': '' },
      /^controller\.listener\.names: /,
    ],
    [
      'a controller with a listener for clients',
      { ...controller, listeners: both.listeners },
      /^listeners: PLAINTEXT/,
    ],
    ['a broker without a listener for clients', { ...both, listeners: 'CONTROLLER://:9093' }, /^listeners: /],
    [
      'a broker with a listener of controllers',
      { ...broker, listeners: both.listeners, 'controller.listener.names': 'CONTROLLER' },
      /^listeners: CONTROLLER is for controllers/,
    ],
  ])('are refused with the key to change: %s', (_what, overrides, message) => {
    expect(refusal(overrides)).toMatch(message);
  });
});
