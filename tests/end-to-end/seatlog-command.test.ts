/** The `seatlog` command as a process: what it tells, and its exit codes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from './command.ts';
import { processesOf } from './processes-of.ts';

const seatlog = (...parameters: readonly string[]) => runCommand('apps/cli/src/main.ts', parameters);

describe('seatlog lab replay', () => {
  it('tells an experiment step by step, judges it, and leaves nothing behind', async () => {
    const data = mkdtempSync(join(tmpdir(), 'seatlog-lab-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const { code, output, lastLine } = await seatlog('lab', 'replay', 'min-isr', '--json', '--data', data);
    expect(code, output).toBe(0);
    const steps = output.split('\n').filter((line) => line.startsWith('=== '));
    expect(steps.map((line) => line.slice(0, 6))).toEqual([
      '=== 1.',
      '=== 2.',
      '=== 3.',
      '=== 4.',
      '=== 5.',
      '=== Ve',
    ]);
    expect(output).toMatch(
      /^ +\d+\.\d{3} {2}Topic: strict {2}Partition: 0 {2}Leader: 1 {2}Replicas: 1,2,3 {2}Isr: 1,2 {2}Elr: 3/m,
    );
    expect(output).toContain('Messages are rejected since there are fewer in-sync replicas than required.');
    expect(output).toContain('All 9 hold: the outcome is the expected one.');
    expect(JSON.parse(lastLine)).toMatchObject({ experiment: 'min-isr', observed: { exitCode: 0 } });
    expect(processesOf(data)).toEqual([]);
  });

  it('is refused where there is no such experiment', async () => {
    const { code, output } = await seatlog('lab', 'replay', 'nothing');
    expect(code).toBe(2);
    expect(output).toContain('there are stopped-follower, min-isr, lost-acks1, too-slow');
  });
});

it('seatlog alone tells its commands', async () => {
  const { code, output } = await seatlog();
  expect(code).toBe(2);
  expect(output).toContain('lab');
});
