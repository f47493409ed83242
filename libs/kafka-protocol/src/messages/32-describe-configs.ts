/**
 * Configuration of topics (resource type 2) and brokers (4), with its sources. Null keys ask for all.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int8, string } from '../schema/field.ts';

export const describeConfigs = defineApi({
  key: 32,
  name: 'DescribeConfigs',
  versions: '1-4',
  flexible: '4+',
  request: {
    resources: array('0+', {
      resourceType: int8('0+'),
      resourceName: string('0+'),
      configurationKeys: array('0+', 'string', { nullable: '0+' }),
    }),
    includeSynonyms: boolean('1+', { default: false }),
    includeDocumentation: boolean('3+', { default: false }),
  },
  response: {
    throttleTimeMs: int32('0+'),
    results: array('0+', {
      errorCode: int16('0+'),
      errorMessage: string('0+', { nullable: '0+' }),
      resourceType: int8('0+'),
      resourceName: string('0+'),
      configs: array('0+', {
        name: string('0+'),
        value: string('0+', { nullable: '0+' }),
        readOnly: boolean('0+'),
        configSource: int8('1+', { default: -1, ignorable: true }),
        isSensitive: boolean('0+'),
        synonyms: array(
          '1+',
          {
            name: string('1+'),
            value: string('1+', { nullable: '0+' }),
            source: int8('1+'),
          },
          { ignorable: true },
        ),
        configType: int8('3+', { default: 0, ignorable: true }),
        documentation: string('3+', { nullable: '0+', ignorable: true }),
      }),
    }),
  },
});
