/**
 * @seatlog/lab: the four replication experiments, each on a cluster of its own, told step by step, with a verdict.
 *
 *     const { observed, findings } = await replay(stoppedFollower, { narrator: silent, pace: 0.5 });
 */
export { experiments, type ExperimentName, isExperimentName, replayByName } from './experiments.ts';
export { type Experiment, type Pace, paceOf, type Replay, type ReplayOptions, replay } from './experiment.ts';
export type { Finding } from './finding.ts';
export { type Narrator, silent, textNarrator } from './narrator.ts';
export type { Sent } from './bench.ts';
export type { PartitionView } from './partition-view.ts';
export { type StoppedFollower, stoppedFollower } from './experiments/stopped-follower.ts';
export { type MinIsr, minIsr } from './experiments/min-isr.ts';
export { type LostAcks1, lostAcks1 } from './experiments/lost-acks1.ts';
export { type TooSlow, tooSlow } from './experiments/too-slow.ts';
export { type DumpedBatch, dumpLog, logBytes } from './dumped-log.ts';
export { pause, until } from './until.ts';
