import { describe, expect, it } from 'vitest';
import { parseBrokerAddresses } from './broker-addresses.ts';

describe('bootstrap brokers', () => {
  it.each([
    [
      'a:1,b:2',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    ],
    [' a , ', [{ host: 'a', port: 9092 }]],
    [['[::1]:9093'], [{ host: '::1', port: 9093 }]],
  ])('reads %j', (brokers, addresses) => {
    expect(parseBrokerAddresses(brokers)).toEqual(addresses);
  });

  it.each(['', 'a:0', 'a:70000', 'a:b', 'http://a:9092', '::1:9092'])('refuses %j', (brokers) => {
    expect(() => parseBrokerAddresses(brokers)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
    );
  });
});
