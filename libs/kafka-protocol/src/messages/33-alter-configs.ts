/**
 * Replaces all settings of topics and brokers: what is not named returns to its default.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int8, string } from '../schema/field.ts';

export const alterConfigs = defineApi({
  key: 33,
  name: 'AlterConfigs',
  versions: '0-2',
  flexible: '2+',
  request: {
    resources: array('0+', {
      resourceType: int8('0+'),
      resourceName: string('0+'),
      configs: array('0+', {
        name: string('0+'),
        value: string('0+', { nullable: '0+' }),
      }),
    }),
    validateOnly: boolean('0+'),
  },
  response: {
    throttleTimeMs: int32('0+'),
    responses: array('0+', {
      errorCode: int16('0+'),
      errorMessage: string('0+', { nullable: '0+' }),
      resourceType: int8('0+'),
      resourceName: string('0+'),
    }),
  },
});
