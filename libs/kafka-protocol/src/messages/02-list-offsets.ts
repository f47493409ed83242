/**
 * Finds offsets by time: −1 asks for the end, −2 for the start, −3 (7+) for the record with the largest timestamp, any
 * other value for the first record at or after it. Nothing found is offset −1 without an error. With tiered storage −4 (8+)
 * is the start of what is kept locally, −5 (9+) the end of what was moved away, −6 (11+) the start of what will be next.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, int8, string } from '../schema/field.ts';

export const listOffsets = defineApi({
  key: 2,
  name: 'ListOffsets',
  versions: '1-11',
  flexible: '6+',
  request: {
    replicaId: int32('0+'),
    isolationLevel: int8('2+'),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        currentLeaderEpoch: int32('4+', { default: -1, ignorable: true }),
        timestamp: int64('0+'),
      }),
    }),
    timeoutMs: int32('10+', { ignorable: true }),
  },
  response: {
    throttleTimeMs: int32('2+', { ignorable: true }),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
        timestamp: int64('1+', { default: -1 }),
        offset: int64('1+', { default: -1 }),
        leaderEpoch: int32('4+', { default: -1 }),
      }),
    }),
  },
});
