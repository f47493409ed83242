/**
 * The demo as a user has it: started, used by the lines that it prints, killed, started again, stopped. The apps have to
 * be built (npm run build).
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readRunningStack, type RunningStack } from '@seatlog/local-stack';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { speakersIn, tellLastWords } from '../last-words.ts';
import { Command, runCommand } from './command.ts';
import { stillRunning } from './still-running.ts';

const START_DEADLINE_MS = 180_000;
const shell = promisify(execFile);

describe('the demo', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seatlog-demo-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  const commands: Command[] = [];
  const start = async (): Promise<Command> => {
    const command = new Command('load-tests/demo.ts', ['--no-build', '--data', data]);
    commands.push(command);
    await command.prints('Ctrl-C stops', START_DEADLINE_MS);
    return command;
  };
  const running = (): RunningStack => {
    const stack = readRunningStack(data);
    if (stack === undefined) throw new Error('no stack runs');
    return stack;
  };
  const audit = () => runCommand('load-tests/audit.ts', ['--data', data]);

  afterAll(async () => {
    for (const command of commands) command.kill('SIGTERM');
    await Promise.all(commands.map((command) => command.ended));
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => tellLastWords(() => speakersIn(data)));

  it('sells by the lines it prints, survives a kill with all it promised, and leaves nothing behind', async () => {
    const first = await start();
    const lines = first.output.split('\n').filter((line) => line.startsWith('  curl '));
    expect(lines).toHaveLength(3);
    const answers: string[] = [];
    for (const line of lines) answers.push((await shell('bash', ['-c', line])).stdout);
    expect(answers[0]).toContain('spring-gala');
    expect(answers[1]).toContain('"state":"FREE"');
    const { statusUrl } = JSON.parse(answers[2] ?? '') as { readonly statusUrl: string };
    const status = async (): Promise<unknown> => {
      const response = await fetch(`${running().endpoints.bookingApiUrl}${statusUrl}`);
      return ((await response.json()) as { readonly status: unknown }).status;
    };
    await expect.poll(status).toBe('CONFIRMED');

    const second = await runCommand('load-tests/demo.ts', ['--no-build', '--data', data]);
    expect(second.code).toBe(1);
    expect(second.output).toContain('FOLDER_IN_USE');

    const before = Object.values(running().processes);
    first.kill('SIGKILL');
    await first.ended;
    expect((await audit()).code).toBe(2);

    const again = await start();
    await expect.poll(() => stillRunning(before)).toEqual([]);
    expect(await status()).toBe('CONFIRMED');
    const report = await audit();
    expect(report.output).toContain('1000 seats: 2 sold');
    expect(report.code).toBe(0);

    const pids = Object.values(running().processes);
    expect(stillRunning(pids)).toEqual(pids);
    again.kill('SIGINT');
    expect(await again.ended).toEqual({ code: 0, signal: null });
    expect(again.lastLine).toBe('Stopped.');
    expect(stillRunning(pids)).toEqual([]);
    expect(readdirSync(join(data, 'processes'))).toEqual([]);
  }, 600_000);
});
