/** The outside world of a broker, as arguments: Node's by default, deterministic twins in tests. */
import {
  type Clock,
  type FileSystem,
  nodeFileSystem,
  type Random,
  systemClock,
  systemRandom,
  systemTimers,
  systemTurns,
  type Timers,
  type Turns,
} from '@seatlog/runtime';

export interface BrokerPorts {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly random: Random;
}

export const nodePorts: BrokerPorts = {
  fileSystem: nodeFileSystem,
  clock: systemClock,
  timers: systemTimers,
  turns: systemTurns,
  random: systemRandom,
};
