import { describe, expect, it } from 'vitest';
import type { Progress } from './generator-messages.ts';
import { LiveFigures } from './live-figures.ts';

const progress: Progress = {
  section: 'measurement',
  elapsedMs: 3_004,
  tally: {
    offered: 60,
    started: 59,
    accepted: 50,
    seats: 75,
    refused: { SEAT_TAKEN: 4, OVERLOADED: 1 },
    unanswered: {},
    dropped: 1,
    underWay: 4,
    waiting: 0,
  },
  acceptP99Ms: 41.3,
  latestAcceptP99Ms: 12,
  latenessP99Ms: 1.26,
};

function figuresOn(isTTY: boolean) {
  let shown = '';
  const figures = new LiveFigures({ isTTY, write: (text) => (shown += text) });
  return { figures, shown: () => shown };
}

describe('live figures', () => {
  it('are a line each, which says everything', () => {
    const { figures, shown } = figuresOn(false);
    figures.gauged({ backlog: 17, eventLoopP99Ms: {} });
    figures.told(progress);
    figures.end();
    expect(shown()).toBe(
      '3 s  offered 60  accepted 50  refused SEAT_TAKEN 4, OVERLOADED 1  dropped 1  under way 4  lag 17  p99 41 ms  late 1.3 ms\n',
    );
  });

  it('stay in one line on a terminal', () => {
    const { figures, shown } = figuresOn(true);
    figures.told(progress);
    figures.told(progress);
    expect(shown()).not.toContain('\n');
    figures.end();
    expect(shown().split('\n')).toHaveLength(2);
  });

  it('make room for what happens meanwhile', () => {
    const { figures, shown } = figuresOn(true);
    figures.told(progress);
    figures.note('a process ended');
    figures.told(progress);
    const lines = shown().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/a process ended$/);
  });

  it('keep the measurement and its worst moments, and not the warm-up', () => {
    const { figures } = figuresOn(false);
    figures.gauged({ backlog: 900, eventLoopP99Ms: { 'booking-api': 500 } });
    figures.told({ ...progress, section: 'warm-up' });
    expect([figures.timeline, figures.worstBacklog()]).toEqual([[], null]);
    figures.gauged({ backlog: 30, eventLoopP99Ms: { 'booking-api': 70 } });
    figures.told(progress);
    figures.gauged({ backlog: null, eventLoopP99Ms: { 'booking-api': 20, worker: 5 } });
    figures.told(progress);
    expect(figures.worstBacklog()).toBe(30);
    expect(figures.worstEventLoopP99Ms()).toEqual({ 'booking-api': 70, worker: 5 });
    expect(figures.timeline).toHaveLength(2);
    expect(figures.timeline[0]).toMatchObject({ refused: 5, backlog: 30, acceptP99Ms: 12 });
  });
});
