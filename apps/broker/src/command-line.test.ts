import { describe, expect, it } from 'vitest';
import { CommandLineError, parseCommandLine } from './command-line.ts';

describe('parseCommandLine', () => {
  it('takes values behind a blank or an equals sign', () => {
    const parsed = parseCommandLine([
      '--config',
      'a.properties',
      '--override',
      'listeners=PLAINTEXT://:0',
      '--override=log.dir=/x=y',
    ]);
    expect(parsed.configFile).toBe('a.properties');
    expect([...parsed.overrides]).toEqual([
      ['listeners', 'PLAINTEXT://:0'],
      ['log.dir', '/x=y'],
    ]);
    expect(parseCommandLine(['--config=b']).configFile).toBe('b');
  });

  it.each([[['--config']], [['--override', 'novalue']], [['--what']], [['stray']]])('refuses %j', (given) => {
    expect(() => parseCommandLine(given)).toThrow(CommandLineError);
  });
});
