import { expect, it } from 'vitest';
import { protocolHint } from './protocol-hint.ts';

const firstBytes = (bytes: string): number => Buffer.from(bytes, 'latin1').readInt32BE(0);

it.each(['GET ', 'POST', 'HEAD'])('F40: takes %s for HTTP', (method) => {
  expect(protocolHint(firstBytes(method))).toMatch(/HTTP request/);
});

it('F40: takes a handshake record for TLS, of any version', () => {
  expect(protocolHint(firstBytes('\x16\x03\x01\x02'))).toMatch(/TLS hello/);
  expect(protocolHint(firstBytes('\x16\x03\x03\x00'))).toMatch(/TLS hello/);
});

it('has no hint for other sizes', () => {
  expect(protocolHint(-1)).toBeNull();
  expect(protocolHint(2_147_483_647)).toBeNull();
});
