/** The experiments by their names. */
import { replay, type Replay, type ReplayOptions } from './experiment.ts';
import { lostAcks1 } from './experiments/lost-acks1.ts';
import { minIsr } from './experiments/min-isr.ts';
import { stoppedFollower } from './experiments/stopped-follower.ts';
import { tooSlow } from './experiments/too-slow.ts';

export const experiments = {
  'stopped-follower': stoppedFollower,
  'min-isr': minIsr,
  'lost-acks1': lostAcks1,
  'too-slow': tooSlow,
} as const;

export type ExperimentName = keyof typeof experiments;

export const isExperimentName = (name: string): name is ExperimentName => Object.hasOwn(experiments, name);

export function replayByName(name: ExperimentName, options: ReplayOptions): Promise<Replay<unknown>> {
  switch (name) {
    case 'stopped-follower':
      return replay(stoppedFollower, options);
    case 'min-isr':
      return replay(minIsr, options);
    case 'lost-acks1':
      return replay(lostAcks1, options);
    case 'too-slow':
      return replay(tooSlow, options);
  }
}
