/** The outside world of a broker, as arguments: Node's by default, deterministic twins in tests. */
import {
  type Clock,
  type FileSystem,
  type Network,
  nodeFileSystem,
  type Random,
  systemClock,
  systemRandom,
  systemTimers,
  systemTurns,
  type Timers,
  type Turns,
} from '@seatlog/runtime';
import { nodeNetwork } from './network/node-network.ts';

export interface BrokerPorts {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly random: Random;
  readonly network: Network;
}

export const nodePorts: BrokerPorts = {
  fileSystem: nodeFileSystem,
  clock: systemClock,
  timers: systemTimers,
  turns: systemTurns,
  random: systemRandom,
  network: nodeNetwork,
};
