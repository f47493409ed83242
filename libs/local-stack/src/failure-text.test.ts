import { parseArgs } from 'node:util';
import { describe, expect, it } from 'vitest';
import { failureText } from './failure-text.ts';
import { LocalStackError } from './local-stack-error.ts';

class Refusal extends Error {}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('what a command says of the error that ended it', () => {
  it.each([
    new Refusal('There is no such scenario.'),
    new LocalStackError('PORT_IN_USE', 'Port 9092 is taken', { hint: 'Stop what listens there.' }),
    thrownBy(() => parseArgs({ args: ['--unknown'], options: {} })),
  ])('is the message alone where that says all: %s', (error) => {
    expect(failureText(error, Refusal)).toBe((error as Error).message);
  });

  it('has the stack trace of a defect', () => {
    const defect = new TypeError('x is not a function');
    expect(failureText(defect, Refusal)).toBe(defect.stack);
  });

  it('is the text of what is no error', () => {
    expect(failureText('why', Refusal)).toBe('why');
  });
});
