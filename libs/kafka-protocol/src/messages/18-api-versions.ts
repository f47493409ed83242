/**
 * What the broker speaks. Its response always has the plain header, and an unknown version is answered in version 0
 * with error 35 and a list that holds ApiVersions itself: it must be a list, some clients fail on null.
 */
import { defineApi } from '../api.ts';
import { array, boolean, int16, int32, int64, string } from '../schema/field.ts';

export const apiVersions = defineApi({
  key: 18,
  name: 'ApiVersions',
  versions: '0-4',
  flexible: '3+',
  request: {
    clientSoftwareName: string('3+', { ignorable: true }),
    clientSoftwareVersion: string('3+', { ignorable: true }),
  },
  response: {
    errorCode: int16('0+'),
    apiKeys: array('0+', {
      apiKey: int16('0+'),
      minVersion: int16('0+'),
      maxVersion: int16('0+'),
    }),
    throttleTimeMs: int32('1+', { ignorable: true }),
    supportedFeatures: array(
      '3+',
      {
        name: string('3+'),
        minVersion: int16('3+'),
        maxVersion: int16('3+'),
      },
      { tag: 0, ignorable: true },
    ),
    finalizedFeaturesEpoch: int64('3+', { default: -1, tag: 1, ignorable: true }),
    finalizedFeatures: array(
      '3+',
      {
        name: string('3+'),
        maxVersionLevel: int16('3+'),
        minVersionLevel: int16('3+'),
      },
      { tag: 2, ignorable: true },
    ),
    zkMigrationReady: boolean('3+', { default: false, tag: 3, ignorable: true }),
  },
});
