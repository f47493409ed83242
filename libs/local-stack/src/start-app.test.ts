import { describe, expect, it } from 'vitest';
import { appProgram, startApp } from './start-app.ts';
import { folderOfTest } from './testing/temporary-folder.ts';

describe('startApp', () => {
  it('says how to build an app that has not been built', async () => {
    const dataDirectory = folderOfTest().path;
    await expect(startApp({ app: 'not-there', dataDirectory, environment: {} })).rejects.toMatchObject({
      code: 'APP_NOT_BUILT',
      what: expect.stringContaining(appProgram('not-there')),
      hint: 'Run npm run build.',
    });
  });
});
