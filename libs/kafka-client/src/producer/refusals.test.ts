import { ErrorCode, errorTable } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { judge } from './refusals.ts';

describe('what a refusal says', () => {
  it.each([
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.MESSAGE_TOO_LARGE,
    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.INVALID_RECORD,
  ])('T2: error %i is one of before the append, whatever the acks', (code) => {
    for (const acks of [-1, 0, 1] as const) expect(judge(code, acks).maybeWritten).toBe(false);
  });

  it.each([
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.KAFKA_STORAGE_ERROR,
    ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.NETWORK_EXCEPTION,
  ])('T2: error %i leaves it open', (code) => {
    for (const acks of [-1, 1] as const) expect(judge(code, acks).maybeWritten).toBe(true);
  });

  it('T2: a leader that steps down may have appended what it was waiting for, but only under acks all', () => {
    expect(judge(ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)).toEqual({
      maybeWritten: true,
      retry: true,
      refreshMetadata: true,
    });
    expect(judge(ErrorCode.NOT_LEADER_OR_FOLLOWER, 1)).toEqual({
      maybeWritten: false,
      retry: true,
      refreshMetadata: true,
    });
  });

  it('T2: what is not known to be a refusal counts as maybe written', () => {
    expect(judge(9999, 1).maybeWritten).toBe(true);
    const sure = errorTable.filter(({ code }) => !judge(code, -1).maybeWritten).map(({ name }) => name);
    expect(sure.length).toBeLessThan(30);
    expect(sure).not.toContain('NONE');
  });
});
