/** The topic configs that the controller obeys, with the values that a simulation begins with. */
import type { ConfigSchema } from '@seatlog/metadata-quorum';
import type { SimulationSettings } from '../simulation-settings.ts';

export function simulationSchema(settings: SimulationSettings): ConfigSchema {
  return {
    problem: () => null,
    isList: () => false,
    defaultValue(_resourceType, name) {
      if (name === 'min.insync.replicas') return String(settings.minInsyncReplicas);
      return name === 'unclean.leader.election.enable' ? String(settings.uncleanElection) : null;
    },
  };
}
