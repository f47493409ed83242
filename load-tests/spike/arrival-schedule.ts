/**
 * When buyers arrive: by the clock, whatever the system does. Pure: a profile gives the number of arrivals and the moment
 * of each, in milliseconds from the beginning.
 */
export const profiles = ['constant', 'spike'] as const;
export type Profile = (typeof profiles)[number];

export interface ArrivalSchedule {
  readonly count: number;
  /** Rises with the index, from 0 to `count` - 1. */
  at(index: number): number;
}

/** How long the profile `spike` takes from no arrivals to its full rate. */
export const RAMP_SECONDS = 1;

export function arrivalSchedule(profile: Profile, ratePerSecond: number, seconds: number): ArrivalSchedule {
  switch (profile) {
    case 'constant':
      return {
        count: Math.round(ratePerSecond * seconds),
        at: (index) => (index * 1000) / ratePerSecond,
      };
    case 'spike':
      return ramped(ratePerSecond, seconds);
  }
}

/** The rate grows evenly for a second, then stays: the n-th arrival comes when the area under the rate has reached n. */
function ramped(ratePerSecond: number, seconds: number): ArrivalSchedule {
  const inRamp = (ratePerSecond * RAMP_SECONDS) / 2;
  return {
    count: Math.max(1, Math.round(ratePerSecond * seconds - inRamp)),
    at: (index) =>
      1000 *
      (index < inRamp
        ? Math.sqrt((2 * index * RAMP_SECONDS) / ratePerSecond)
        : RAMP_SECONDS + (index - inRamp) / ratePerSecond),
  };
}
