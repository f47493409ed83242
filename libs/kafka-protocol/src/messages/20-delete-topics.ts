/**
 * Deletes topics: `topicNames` up to version 5, `topics` by name or id from version 6 on.
 */
import { defineApi } from '../api.ts';
import { array, int16, int32, string, uuid } from '../schema/field.ts';

export const deleteTopics = defineApi({
  key: 20,
  name: 'DeleteTopics',
  versions: '1-6',
  flexible: '4+',
  request: {
    topics: array('6+', {
      name: string('6+', { nullable: '6+', default: null }),
      topicId: uuid('6+'),
    }),
    topicNames: array('0-5', 'string', { ignorable: true }),
    timeoutMs: int32('0+'),
  },
  response: {
    throttleTimeMs: int32('1+', { ignorable: true }),
    responses: array('0+', {
      name: string('0+', { nullable: '6+' }),
      topicId: uuid('6+', { ignorable: true }),
      errorCode: int16('0+'),
      errorMessage: string('5+', { nullable: '5+', default: null, ignorable: true }),
    }),
  },
});
