/**
 * Deletes committed offsets of a group.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, string } from '../schema/field.ts';

export const offsetDelete = defineApi({
  key: 47,
  name: 'OffsetDelete',
  versions: '0',
  request: {
    groupId: string('0+'),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
      }),
    }),
  },
  response: {
    errorCode: int16('0+'),
    throttleTimeMs: int32('0+', { ignorable: true }),
    topics: array('0+', {
      name: string('0+'),
      partitions: array('0+', {
        partitionIndex: int32('0+'),
        errorCode: int16('0+'),
      }),
    }),
  },
});
