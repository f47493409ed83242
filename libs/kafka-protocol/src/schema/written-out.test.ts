import { describe, expect, it } from 'vitest';
import { array, int32, string } from './field.ts';
import { defineRecord } from './record-schema.ts';
import { oftenWrittenOut } from './written-out.ts';

/** More uses than go by before a structure is written out. */
const MANY = 100;

describe('steps that are used often', () => {
  it('are written out once, and not before they are', () => {
    let made = 0;
    const run = oftenWrittenOut<number, number, string>(
      (one, other) => `walk ${one} ${other}`,
      () => {
        made += 1;
        return (one, other) => `written out ${one} ${other}`;
      },
    );
    expect(run(1, 2)).toBe('walk 1 2');
    expect(made).toBe(0);
    for (let use = 0; use < MANY; use++) run(use, use);
    expect(run(3, 4)).toBe('written out 3 4');
    expect(made).toBe(1);
  });

  it('stay a walk where code from text is forbidden', () => {
    const forbidden = (): never => {
      throw new EvalError('Code generation from strings disallowed for this context');
    };
    const run = oftenWrittenOut<number, void, number>((value) => value + 1, forbidden);
    for (let use = 0; use < MANY; use++) expect(run(use)).toBe(use + 1);
  });

  it('give each message lists of its own, and the members in the order of the declaration', () => {
    const schema = defineRecord({
      name: 'Row',
      versions: '0-1',
      flexible: '1',
      fields: {
        late: string('1+', { default: 'none', ignorable: true }),
        seats: array('1+', { number: int32('0+') }, { ignorable: true }),
        row: int32('0+'),
      },
    });
    const bytes = schema.encode({ row: 7 }, 0);
    const decoded = Array.from({ length: MANY }, () => schema.decode(bytes, 0));
    const last = decoded.at(-1);
    last?.seats.push({ number: 1 });
    expect(decoded.at(-2)).toEqual({ late: 'none', seats: [], row: 7 });
    expect(Object.keys(last ?? {})).toEqual(['late', 'seats', 'row']);
  });
});
