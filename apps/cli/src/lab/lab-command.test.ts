import type { Finding } from '@seatlog/lab';
import { describe, expect, it } from 'vitest';
import { labCommand, readLabOptions } from './lab-command.ts';
import { verdictLines, verdictSummary } from './verdict-text.ts';

describe('seatlog lab', () => {
  it('reads which experiment, and how fast', () => {
    expect(readLabOptions(['replay', 'min-isr', '--pace', '0.5', '--json'])).toEqual({
      name: 'min-isr',
      pace: 0.5,
      data: undefined,
      json: true,
    });
  });

  it('tells its experiments', async () => {
    let text = '';
    expect(await labCommand(['--help'], (more) => void (text += more))).toBe(0);
    for (const name of ['stopped-follower', 'min-isr', 'lost-acks1', 'too-slow'])
      expect(text).toContain(name);
  });

  it.each([
    [['replay', 'nothing'], 'There is no experiment nothing'],
    [['replay'], 'There is no experiment (none given)'],
    [['replay', 'min-isr', '--pace', 'fast'], '--pace fast'],
    [['run'], 'seatlog lab replay <experiment>'],
  ])('refuses %j', (args, message) => {
    expect(() => readLabOptions(args)).toThrow(message);
  });
});

describe('a verdict', () => {
  const finding: Finding = { rule: 'R7', statement: 'the mark', held: true, expected: '12', found: '12' };

  it('says what held, and what was found where it did not', () => {
    const failed = { ...finding, held: false, found: '17' };
    expect(verdictLines([finding, failed])).toEqual([
      '  ✓ R7   the mark: 12',
      '  ✗ R7   the mark',
      '         expected 12',
      '         found    17',
    ]);
    expect(verdictSummary([finding])).toContain('All 1 hold');
    expect(verdictSummary([finding, failed])).toContain('1 of 2 hold: the outcome is NOT');
  });
});
