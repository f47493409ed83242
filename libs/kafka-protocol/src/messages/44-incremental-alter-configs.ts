/**
 * Sets (0), deletes (1), appends to (2) or subtracts from (3) single configuration values.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int8, string } from '../schema/field.ts';

export const incrementalAlterConfigs = defineApi({
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: '0-1',
  flexible: '1+',
  request: {
    resources: array('0+', {
      resourceType: int8('0+'),
      resourceName: string('0+'),
      configs: array('0+', {
        name: string('0+'),
        configOperation: int8('0+'),
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
