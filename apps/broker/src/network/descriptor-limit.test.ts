import { expect, it } from 'vitest';
import { connectionsWithin, parseOpenFilesLimit } from './descriptor-limit.ts';

it('F10: leaves descriptors for logs, whatever the limit', () => {
  expect(connectionsWithin(64)).toBe(32);
  expect(connectionsWithin(1_048_576)).toBe(1_047_552);
  expect(connectionsWithin(1)).toBe(1);
  expect(connectionsWithin(null)).toBe(Number.MAX_SAFE_INTEGER);
});

it('reads the soft limit', () => {
  const text =
    'Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 524288               files\n';
  expect(parseOpenFilesLimit(text)).toBe(1024);
  expect(
    parseOpenFilesLimit('Max open files            unlimited            unlimited            files'),
  ).toBeNull();
});
