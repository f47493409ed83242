// All mutants of the protocol: each undoes one rule, and must not survive.
import { controllerMutants } from './controller-mutants.ts';
import { diskMutants } from './disk-mutants.ts';
import type { Mutant } from './mutant.ts';
import { quorumMutants } from './quorum-mutants.ts';
import { replicationMutants } from './replication-mutants.ts';

export const mutants: readonly Mutant[] = [
  ...replicationMutants,
  ...controllerMutants,
  ...quorumMutants,
  ...diskMutants,
];
