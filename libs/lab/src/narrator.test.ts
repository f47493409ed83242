import { describe, expect, it } from 'vitest';
import { textNarrator } from './narrator.ts';
import { describeLine } from './partition-view.ts';

describe('the narrator', () => {
  it('numbers steps, stamps lines, and sets apart what stands elsewhere', () => {
    let text = '';
    let now = 0;
    const narrator = textNarrator(
      (more) => void (text += more),
      () => now,
    );
    narrator.step('begin');
    now = 1_234;
    narrator.line('SIGSTOP broker 3');
    narrator.step('go on');
    narrator.quote('broker 1 log', ['one', 'two']);
    expect(text).toBe(
      [
        '\n=== 1. begin',
        '   1.234  SIGSTOP broker 3',
        '\n=== 2. go on',
        '   1.234  --- broker 1 log',
        '          one',
        '          two',
        '',
      ].join('\n'),
    );
  });

  it('describes a partition as kafka-topics does', () => {
    const view = {
      leader: null,
      leaderEpoch: 1,
      partitionEpoch: 3,
      replicas: [1, 2, 3],
      isr: [],
      elr: [1],
      lastKnownElr: [],
    };
    expect(describeLine('div', 0, view)).toBe(
      'Topic: div  Partition: 0  Leader: none  Replicas: 1,2,3  Isr:   Elr: 1  LastKnownElr:   (partition epoch 3, leader epoch 1)',
    );
  });
});
