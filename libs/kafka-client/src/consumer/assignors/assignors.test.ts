import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Assignment, Assignor, AssignorMember } from './assignor.ts';
import { cooperativeStickyAssignor } from './cooperative-sticky.ts';
import { rangeAssignor } from './range.ts';
import { roundRobinAssignor } from './round-robin.ts';

const member = (memberId: string, topics: string[], more: Partial<AssignorMember> = {}): AssignorMember => ({
  memberId,
  groupInstanceId: null,
  topics,
  owned: [],
  generation: -1,
  ...more,
});

const brief = (assignment: Assignment) =>
  Object.fromEntries(
    [...assignment].map(([id, parts]) => [id, parts.map(({ topic, partition }) => `${topic}${partition}`)]),
  );

const scene = fc
  .record({
    counts: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 9 }), {
      minKeys: 1,
    }),
    wants: fc.array(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  .map(({ counts, wants }) => ({
    counts: new Map(Object.entries(counts)),
    members: wants.map((topics, index) => member(`m${index}`, topics)),
  }));

function holders(assignment: Assignment): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [id, parts] of assignment) {
    for (const { topic, partition } of parts) {
      const key = `${topic}-${partition}`;
      found.set(key, [...(found.get(key) ?? []), id]);
    }
  }
  return found;
}

/** Every partition that somebody wants is held by exactly one who wants it. */
function expectComplete(
  assignment: Assignment,
  members: readonly AssignorMember[],
  counts: ReadonlyMap<string, number>,
) {
  const held = holders(assignment);
  for (const [topic, count] of counts) {
    const wanted = members.some(({ topics }) => topics.includes(topic));
    for (let partition = 0; partition < count; partition++) {
      const by = held.get(`${topic}-${partition}`) ?? [];
      expect(by.length).toBe(wanted ? 1 : 0);
      for (const id of by) expect(members.find(({ memberId }) => memberId === id)?.topics).toContain(topic);
    }
  }
}

function owning(
  members: readonly AssignorMember[],
  assignment: Assignment,
  generation: number,
): AssignorMember[] {
  return members.map((one) => ({ ...one, owned: assignment.get(one.memberId) ?? [], generation }));
}

/** Rounds of a cooperative rebalance until nothing moves any more. */
function settle(
  members: readonly AssignorMember[],
  counts: ReadonlyMap<string, number>,
): { assignment: Assignment; rounds: number } {
  let current = [...members];
  for (let rounds = 1; ; rounds++) {
    const assignment = cooperativeStickyAssignor.assign(current, counts);
    for (const by of holders(assignment).values()) expect(by.length).toBe(1);
    const revokes = current.some(({ memberId, owned }) =>
      owned.some(
        ({ topic, partition }) =>
          !(assignment.get(memberId) ?? []).some(
            (kept) => kept.topic === topic && kept.partition === partition,
          ),
      ),
    );
    current = owning(current, assignment, rounds + 1);
    if (!revokes) return { assignment, rounds };
    expect(rounds).toBeLessThan(10);
  }
}

describe.each([rangeAssignor, roundRobinAssignor] as readonly Assignor[])('$name', (assignor) => {
  it('K13: gives each partition to exactly one member that wants it', () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(scene, ({ members, counts }) => {
        expectComplete(assignor.assign(members, counts), members, counts);
      }),
    );
  });
});

describe('range', () => {
  it('deals neighbours out topic by topic, the first members getting one more', () => {
    const counts = new Map([
      ['t', 7],
      ['u', 2],
    ]);
    const members = ['b', 'a', 'c'].map((id) => member(id, ['t', 'u']));
    expect(brief(rangeAssignor.assign(members, counts))).toEqual({
      a: ['t0', 't1', 't2', 'u0'],
      b: ['t3', 't4', 'u1'],
      c: ['t5', 't6'],
    });
  });

  it('puts static members first, by instance id', () => {
    const members = [
      member('a', ['t']),
      member('z', ['t'], { groupInstanceId: 'i2' }),
      member('y', ['t'], { groupInstanceId: 'i1' }),
    ];
    expect(brief(rangeAssignor.assign(members, new Map([['t', 3]])))).toEqual({
      y: ['t0'],
      z: ['t1'],
      a: ['t2'],
    });
  });
});

describe('roundrobin', () => {
  it('deals all partitions out in turn', () => {
    const members = [member('a', ['t', 'u']), member('b', ['t', 'u'])];
    expect(
      brief(
        roundRobinAssignor.assign(
          members,
          new Map([
            ['t', 3],
            ['u', 3],
          ]),
        ),
      ),
    ).toEqual({
      a: ['t0', 't2', 'u1'],
      b: ['t1', 'u0', 'u2'],
    });
  });
});

describe('cooperative-sticky', () => {
  it('K13: settles so that each partition has one holder, and shares differ by at most one where all want all', () => {
    fc.assert(
      fc.property(scene, fc.boolean(), ({ members, counts }, alike) => {
        const all = alike ? members.map((one) => ({ ...one, topics: [...counts.keys()] })) : members;
        const { assignment } = settle(all, counts);
        expectComplete(assignment, all, counts);
        if (!alike) return;
        const sizes = [...assignment.values()].map((held) => held.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('moves nothing when nothing changed', () => {
    fc.assert(
      fc.property(scene, ({ members, counts }) => {
        const { assignment } = settle(members, counts);
        const again = cooperativeStickyAssignor.assign(owning(members, assignment, 7), counts);
        expect(brief(again)).toEqual(brief(assignment));
      }),
    );
  });

  it('gives to a third member only what has to move, and only after it was given up', () => {
    const counts = new Map([['t', 6]]);
    const two = ['a', 'b'].map((id) => member(id, ['t']));
    const { assignment } = settle(two, counts);
    const three = [...owning(two, assignment, 1), member('c', ['t'])];
    const first = cooperativeStickyAssignor.assign(three, counts);
    expect(brief(first)['c']).toEqual([]);
    expect([...first.values()].flat().length).toBe(4);
    const last = settle(three, counts).assignment;
    expect([...last.values()].map((held) => held.length)).toEqual([2, 2, 2]);
  });

  it('believes the later generation when two claim a partition', () => {
    const owned = [{ topic: 't', partition: 0 }];
    const members = [
      member('old', ['t'], { owned, generation: 3 }),
      member('young', ['t'], { owned, generation: 4 }),
    ];
    expect(brief(cooperativeStickyAssignor.assign(members, new Map([['t', 1]])))).toEqual({
      old: [],
      young: ['t0'],
    });
  });
});
