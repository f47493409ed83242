import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

/** A process in the frame, as a program of its own. */
async function run(start: string, environment: Record<string, string>, during?: (pid: number) => void) {
  const program = `
    import { runProcess } from ${JSON.stringify(new URL('./process.ts', import.meta.url).href)};
    const issue = { path: ['HTTP_PORT'], message: 'a port' };
    const schema = { safeParse: (input) => input.HTTP_PORT === 'wrong'
      ? { success: false, error: { issues: [issue] } }
      : { success: true, data: { LOG_LEVEL: 'info', SEATLOG_PARENT_PID: Number(input.SEATLOG_PARENT_PID ?? 0) || undefined } } };
    await runProcess({ service: 'framed', schema, start: async ({ shutdown }) => { ${start} } });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let started = false;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
    // Once: a second signal would end the process at once.
    if (started || !text.includes('"started"') || child.pid === undefined) return;
    started = true;
    during?.(child.pid);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = text.trim().split('\n');
  return { code, messages: lines.map((line) => (JSON.parse(line) as { msg: string }).msg) };
}

const WORK = `const timer = setInterval(() => {}, 1000);
  shutdown.step('work', 1000, () => clearInterval(timer));`;

describe('the frame of a process', () => {
  it('F71: a signal runs the shutdown steps and ends it with 0', async () => {
    const { code, messages } = await run(WORK, {}, (pid) => process.kill(pid, 'SIGTERM'));
    expect(code).toBe(0);
    // All of them, whichever the pipe gives first.
    expect(messages.toSorted()).toEqual(['shut down', 'shutdown step done', 'shutting down', 'started']);
  });

  it('a configuration that is refused ends it with 78 and names the field', async () => {
    const { code, messages } = await run(WORK, { HTTP_PORT: 'wrong' });
    expect(code).toBe(78);
    expect(messages).toEqual(['HTTP_PORT: a port']);
  });

  it('a start that fails ends it with 1, after the steps added so far', async () => {
    const { code, messages } = await run(`${WORK} throw new Error('no port');`, {});
    expect(code).toBe(1);
    expect(messages.toSorted()).toEqual([
      'could not start',
      'shut down',
      'shutdown step done',
      'shutting down',
    ]);
  });

  it('ends when its parent is gone', async () => {
    const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(parent, 'spawn');
    const { code, messages } = await run(WORK, { SEATLOG_PARENT_PID: String(parent.pid) }, () =>
      parent.kill('SIGKILL'),
    );
    expect(code).toBe(1);
    expect(messages).toContain('shut down');
  });
});
