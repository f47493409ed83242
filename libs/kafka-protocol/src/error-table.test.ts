import { describe, expect, it } from 'vitest';
import { ErrorCode, errorByCode, errorByName, errorTable } from './error-table.ts';

describe('the error table', () => {
  it('has every code from −1 on once, without a gap', () => {
    expect(errorTable.map((entry) => entry.code)).toEqual(errorTable.map((_, i) => i - 1));
    expect(new Set(errorTable.map((entry) => entry.name)).size).toBe(errorTable.length);
  });

  it('is read by code, by name and as constants alike', () => {
    for (const entry of errorTable) {
      expect(errorByCode(entry.code)).toBe(entry);
      expect(errorByName(entry.name)).toBe(entry);
      expect(ErrorCode[entry.name]).toBe(entry.code);
    }
  });

  it('has words for everything but success', () => {
    for (const entry of errorTable) expect(entry.message === '').toBe(entry.code === 0);
  });

  it('R17: refuses for want of replicas in the words that clients and people know', () => {
    expect(errorByCode(ErrorCode.NOT_ENOUGH_REPLICAS)).toEqual({
      code: 19,
      name: 'NOT_ENOUGH_REPLICAS',
      retriable: true,
      message: 'Messages are rejected since there are fewer in-sync replicas than required.',
    });
  });

  it('shows a code that it does not know as an unknown server error with that number', () => {
    expect(errorByCode(4711)).toMatchObject({ code: 4711, name: 'UNKNOWN_SERVER_ERROR', retriable: false });
    expect(errorByCode(4711).message).toContain('4711');
  });
});
