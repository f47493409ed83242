/**
 * What lies in a broker's log directories: the size of each replica, and how far it is behind. Null asks for all
 * topics. It is asked of one broker about its own disks.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int64, string } from '../schema/field.ts';

export const describeLogDirs = defineApi({
  key: 35,
  name: 'DescribeLogDirs',
  versions: '1-5',
  flexible: '2+',
  request: {
    topics: array(
      '0+',
      {
        topic: string('0+'),
        partitions: array('0+', 'int32'),
      },
      { nullable: '0+' },
    ),
  },
  response: {
    throttleTimeMs: int32('0+'),
    errorCode: int16('3+', { ignorable: true }),
    results: array('0+', {
      errorCode: int16('0+'),
      logDir: string('0+'),
      topics: array('0+', {
        name: string('0+'),
        partitions: array('0+', {
          partitionIndex: int32('0+'),
          partitionSize: int64('0+'),
          offsetLag: int64('0+'),
          isFutureKey: boolean('0+'),
        }),
      }),
      totalBytes: int64('4+', { default: -1, ignorable: true }),
      usableBytes: int64('4+', { default: -1, ignorable: true }),
      isCordoned: boolean('5+', { default: false, ignorable: true }),
    }),
  },
});
