import { describe, expect, it } from 'vitest';
import { CommandError } from '../demo/command-error.ts';
import { LEAST_SEATS, readSpikeOptions } from './spike-options.ts';

const read = (line: string) => readSpikeOptions(line === '' ? [] : line.split(' '), () => 42);

describe('the command line of a spike', () => {
  it('needs a rate and a time, and has a default for the rest', () => {
    expect(read('--rate 500 --seconds 20')).toEqual({
      rate: 500,
      seconds: 20,
      profile: 'constant',
      partitions: 6,
      acks: 'all',
      brokers: 1,
      workers: 1,
      seats: LEAST_SEATS,
      mix: { pairs: 0.5, popular: 0, declined: 0 },
      connections: 512,
      keepAlive: true,
      warmUpSeconds: 5,
      seed: 42,
      fsync: false,
      kills: [],
      build: true,
    });
  });

  it('takes every setting', () => {
    const line =
      '--rate 10 --seconds 2 --profile spike --partitions 12 --acks 0 --brokers 3 --workers 3 --seats 30000 --mix popular=0.2 --connections 8 --no-keep-alive --warm-up 0 --seed 7 --fsync --kill broker-1@1 --kill redis@0 --data /tmp/x --results /tmp/y --no-build';
    expect(read(line)).toMatchObject({
      profile: 'spike',
      partitions: 12,
      acks: '0',
      brokers: 3,
      workers: 3,
      seats: 30_000,
      mix: { pairs: 0.5, popular: 0.2, declined: 0 },
      connections: 8,
      keepAlive: false,
      warmUpSeconds: 0,
      seed: 7,
      fsync: true,
      kills: [
        { process: 'broker-1', atSeconds: 1 },
        { process: 'redis', atSeconds: 0 },
      ],
      dataDirectory: '/tmp/x',
      resultsDirectory: '/tmp/y',
      build: false,
    });
  });

  it('makes the hall larger for a crowd that needs it', () => {
    expect(read('--rate 1000 --seconds 60')?.seats).toBeGreaterThan(90_000);
  });

  it('tells how to use it when asked', () => {
    expect(read('--help')).toBeNull();
  });

  const refusals: [string, string][] = [
    ['', '--rate is missing'],
    ['--rate 10', '--seconds is missing'],
    ['--rate 0 --seconds 1', '--rate 0: a whole number from 1 to 50000 is wanted'],
    ['--rate 1.5 --seconds 1', '--rate 1.5: a whole number'],
    ['--rate= --seconds 1', '--rate : a whole number'],
    ['--rate 10 --seconds x', '--seconds x: a whole number'],
    ['--rate 10 --seconds 1 --acks 2', '--acks 2: there are all, 1, 0'],
    ['--rate 10 --seconds 1 --profile sine', '--profile sine: there are constant, spike'],
    ['--rate 10 --seconds 1 --partitions 0', '--partitions 0: a whole number from 1'],
    ['--rate 10 --seconds 1 --brokers 2', '--brokers 2: there are 1, 3'],
    ['--rate 10 --seconds 1 --workers 99', '--workers 99: a whole number from 1 to 64'],
    [
      '--rate 10 --seconds 4 --kill redis',
      '--kill redis: a process and a second below 4 are wanted, as in broker-1@2',
    ],
    ['--rate 10 --seconds 4 --kill redis@4', '--kill redis@4: a process and a second below 4'],
    ['--rate 50000 --seconds 60', 'at most 300000 can be audited'],
  ];
  it.each(refusals)('%j is refused', (line, message) => {
    expect(() => read(line)).toThrow(CommandError);
    expect(() => read(line)).toThrow(message);
  });

  it('does not know other options', () => {
    expect(() => read('--rate 10 --seconds 1 --vus 5')).toThrow("Unknown option '--vus'");
  });
});
