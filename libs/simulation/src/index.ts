/**
 * @seatlog/simulation: the pure cores of brokers and controllers under one seeded queue of events. Disks lose what was
 * not synced, networks delay, lose, double and cut, clocks differ, processes stop and die; after every event what must
 * hold is looked at.
 */
export {
  DEFAULT_EVENTS,
  simulate,
  Simulation,
  type SimulationOptions,
  type SimulationResult,
} from './simulation.ts';
export { drawProfile, FAULT_KINDS, type FaultKind, type Profile } from './profile.ts';
export { DEFAULT_SIMULATION_SETTINGS, type SimulationSettings } from './simulation-settings.ts';
export { HeldMessages, Story } from './story.ts';
export { type Message } from './network/simulated-network.ts';
export { Violation, violated } from './invariants/violation.ts';
