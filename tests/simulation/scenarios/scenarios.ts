import { controllerScenarios } from './controllers.ts';
import { diskScenarios } from './disks.ts';
import { followerScenarios } from './followers.ts';
import { memberScenarios } from './members.ts';
import type { Scenario } from './scenario.ts';

/** By the name that mutants call them. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  ...followerScenarios,
  ...memberScenarios,
  ...diskScenarios,
  ...controllerScenarios,
};
