import { describe, expect, it } from 'vitest';
import { type SaturationFacts, saturationHints } from './saturation-hints.ts';

const calm: SaturationFacts = {
  dropped: 0,
  latenessP99Ms: 2,
  worstEventLoopP99Ms: { 'booking-api': 20, 'reservation-worker': 30 },
  backlogAtEnd: 12,
  worstBacklog: 80,
  refused: { SEAT_TAKEN: 100 },
  acceptedPerSecond: 500,
  cpuSeconds: { 'booking-api': 6, postgres: 8 },
  wallSeconds: 20,
  cores: 2,
  loadAverage: 1.2,
};

describe('saturation', () => {
  it('is not seen in a calm run', () => {
    expect(saturationHints(calm)).toEqual([]);
    expect(saturationHints({ ...calm, cpuSeconds: null, backlogAtEnd: null, loadAverage: null })).toEqual([]);
  });

  const signs: [string, Partial<SaturationFacts>, string][] = [
    ['drops', { dropped: 3 }, '3 arrivals were dropped'],
    ['a late generator', { latenessP99Ms: 45 }, 'more than 45 ms late'],
    [
      'a late event loop',
      { worstEventLoopP99Ms: { 'booking-api': 400 } },
      'booking-api was up to 400 ms late',
    ],
    ['a worker that falls behind', { backlogAtEnd: 900 }, '900 records behind'],
    ['refused admission', { refused: { OVERLOADED: 7 } }, 'turned 7 away'],
    ['a full core', { cpuSeconds: { 'booking-api': 19 } }, 'booking-api kept a core busy: 95 %'],
    ['a full machine', { cpuSeconds: { a: 16, postgres: 22 } }, '1.9 of 2 cores'],
    ['a crowd', { loadAverage: 6 }, 'others work on this machine (load 6.0)'],
  ];
  it.each(signs)('is seen in %s', (_, sign, hint) => {
    expect(saturationHints({ ...calm, ...sign })).toEqual([expect.stringContaining(hint)]);
  });
});
