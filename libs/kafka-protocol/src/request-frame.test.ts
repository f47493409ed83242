import { describe, expect, it } from 'vitest';
import {
  apiByKey,
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from './index.ts';
import { hex } from './testing/hex.ts';
import { refusal } from './testing/refusal.ts';

describe('request headers', () => {
  it('F45: an unknown key is told, so that the connection can be closed', () => {
    const header = decodeRequestHeader(hex('7abc 0000 00000001 ffff'));
    expect(header).toMatchObject({ apiKey: 0x7abc, api: undefined, supported: false, correlationId: 1 });
  });

  it('F45: an unknown version is told with its API, so that ApiVersions can answer', () => {
    const header = decodeRequestHeader(hex('0012 0063 00000001 ffff'));
    expect(header).toMatchObject({
      api: apis.apiVersions,
      apiVersion: 99,
      supported: false,
      correlationId: 1,
    });
    expect(refusal(() => decodeRequestBody(apis.apiVersions, header, hex('')))).toBe('UNSUPPORTED_VERSION');
    expect(decodeRequestHeader(hex('0012 ffff 00000001 ffff')).supported).toBe(false);
  });

  it('F45: Produce is advertised from version 0 on and served from version 3 on', () => {
    expect(apis.produce).toMatchObject({ advertisedMinVersion: 0, minVersion: 3, maxVersion: 11 });
    expect(decodeRequestHeader(hex('0000 0002 00000001 ffff')).supported).toBe(false);
    expect(decodeRequestHeader(hex('0000 0003 00000001 ffff')).supported).toBe(true);
  });

  it('F42: tagged fields of the flexible header are skipped, floods of them refused', () => {
    expect(decodeRequestHeader(hex('0012 0003 00000001 ffff 01 00 02 beef')).bodyPosition).toBe(15);
    expect(refusal(() => decodeRequestHeader(hex('0012 0003 00000001 ffff ffffffff0f')))).toBe(
      'TOO_MANY_TAGS',
    );
  });

  it('F42: a frame too short for a header is refused', () => {
    for (const bytes of [
      '',
      '00',
      '0012',
      '0012 0000 0000',
      '0012 0000 00000001',
      '0012 0000 00000001 0004 61',
    ]) {
      expect(refusal(() => decodeRequestHeader(hex(bytes)))).toBe('TRUNCATED');
    }
  });
});

describe('header versions', () => {
  it('follow the body, except that the response of ApiVersions is always plain', () => {
    for (const api of Object.values(apis)) {
      for (let version = api.minVersion; version <= api.maxVersion; version++) {
        const flexible = api.isFlexible(version);
        expect(api.requestHeaderVersion(version)).toBe(flexible ? 2 : 1);
        expect(api.responseHeaderVersion(version)).toBe(flexible && api.key !== 18 ? 1 : 0);
      }
    }
  });
});

describe('frames of versions that are not served', () => {
  it('are not encoded', () => {
    expect(
      refusal(() =>
        encodeRequest(apis.heartbeat, 5, 1, null, { groupId: 'g', generationId: 1, memberId: 'm' }),
      ),
    ).toBe('UNSUPPORTED_VERSION');
    expect(refusal(() => encodeResponse(apis.heartbeat, -1, 1, { errorCode: 0 }))).toBe(
      'UNSUPPORTED_VERSION',
    );
    expect(refusal(() => decodeResponse(apis.heartbeat, 5, hex('00000001 0000')))).toBe(
      'UNSUPPORTED_VERSION',
    );
  });
});

describe('the table of APIs', () => {
  it('is found by key', () => {
    for (const api of Object.values(apis)) expect(apiByKey(api.key)).toBe(api);
    expect(apiByKey(4)).toBeUndefined();
  });

  it('shares a version of every API with the clients that people have', () => {
    // Lowest and highest version that at least one of the widespread clients insists on, per key.
    const needed: Readonly<Record<number, readonly [number, number]>> = {
      0: [7, 7],
      1: [11, 12],
      2: [3, 5],
      3: [6, 9],
      8: [5, 8],
      9: [4, 8],
      10: [2, 4],
      11: [5, 6],
      12: [3, 4],
      13: [1, 4],
      14: [3, 4],
      15: [2, 5],
      16: [2, 4],
      18: [2, 3],
      19: [3, 7],
      20: [1, 6],
      21: [1, 2],
      22: [1, 3],
      23: [2, 4],
      24: [0, 3],
      25: [0, 1],
      26: [1, 3],
      28: [1, 3],
      32: [1, 2],
      37: [1, 1],
      42: [1, 2],
    };
    for (const [key, [low, high]] of Object.entries(needed)) {
      const api = apiByKey(Number(key));
      expect(api?.minVersion, `minimum of ${api?.name}`).toBeLessThanOrEqual(low);
      expect(api?.maxVersion, `maximum of ${api?.name}`).toBeGreaterThanOrEqual(high);
    }
  });
});
