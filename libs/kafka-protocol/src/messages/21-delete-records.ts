/**
 * Raises the log start offset of partitions; −1 asks for the high watermark.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, int64, string } from '../schema/field.ts';

export const deleteRecords = defineApi({
  key: 21,
  name: 'DeleteRecords',
  versions: '0-2',
  flexible: '2+',
  request: {
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        offset: int64('0+'),
      }),
    }),
    timeoutMs: int32('0+'),
  },
  response: {
    throttleTimeMs: int32('0+'),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        lowWatermark: int64('0+'),
        errorCode: int16('0+'),
      }),
    }),
  },
});
