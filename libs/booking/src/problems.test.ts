import { describe, expect, it } from 'vitest';
import { BookingProblem, problems, type ProblemCode } from './problems.ts';

describe('problem documents', () => {
  it('carry code, status, title, hint, and what the code is about', () => {
    const problem = new BookingProblem('SEAT_TAKEN', 'A-1-1 is sold', { members: { seats: ['gala:A-1-1'] } });
    expect(problem.toDocument()).toEqual({
      type: 'urn:seatlog:problem:seat-taken',
      title: problems.SEAT_TAKEN.title,
      status: 409,
      code: 'SEAT_TAKEN',
      detail: 'A-1-1 is sold',
      hint: problems.SEAT_TAKEN.hint,
      seats: ['gala:A-1-1'],
    });
  });

  it('let no member overwrite the code', () => {
    const document = new BookingProblem('NOT_FOUND', 'x', {
      members: { code: 'OTHER', status: 200 },
    }).toDocument();
    expect(document).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });

  it('tell when to try again wherever trying again helps', () => {
    const codes = (Object.keys(problems) as ProblemCode[]).filter((code) =>
      [429, 503].includes(problems[code].status),
    );
    expect(codes.length).toBeGreaterThan(5);
    for (const code of codes) expect(new BookingProblem(code).retryAfterSeconds).toBeGreaterThan(0);
    expect(new BookingProblem('OVERLOADED', undefined, { retryAfterSeconds: 7 }).retryAfterSeconds).toBe(7);
  });
});
