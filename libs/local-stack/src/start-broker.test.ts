import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processStartTime } from './process-identity.ts';
import { startBroker } from './start-broker.ts';
import { folderOfTest } from './testing/temporary-folder.ts';

describe('startBroker', () => {
  it('serves, comes back on the same address after a kill, and is gone after the stop', async () => {
    const dataDirectory = folderOfTest().path;
    const broker = await startBroker({ dataDirectory });
    onTestFinished(() => broker.stop());
    expect((await fetch(`${broker.httpUrl}/healthz`)).status).toBe(200);
    expect(existsSync(join(dataDirectory, 'broker-1/meta.properties'))).toBe(true);
    broker.process.kill('SIGKILL');
    await broker.process.exited;
    await broker.process.restart();
    expect((await fetch(`${broker.httpUrl}/healthz`)).status).toBe(200);
    const pid = broker.process.pid;
    await broker.stop();
    expect(await broker.process.exited).toEqual({ code: 0, signal: null });
    expect(processStartTime(pid)).toBeUndefined();
  });

  it('says why a broker does not start', async () => {
    const dataDirectory = folderOfTest().path;
    const properties = { 'num.partitions': 'many' };
    await expect(startBroker({ dataDirectory, properties })).rejects.toMatchObject({
      code: 'PROCESS_ENDED_EARLY',
      hint: expect.stringContaining('num.partitions'),
    });
  });
});
