/**
 * What the controller has to know of configs, given by whoever owns their definitions (the broker).
 *
 * The controller keeps configs as text and does not know what they mean.
 */
import type { ConfigMap } from '../image/cluster-image.ts';

export interface ConfigSchema {
  /**
   * Why a resource may not have these configs (unknown name, value out of range, values that contradict each other);
   * null if it may. `configs` is all that would be set on the resource.
   */
  problem(resourceType: number, resourceName: string, configs: ConfigMap): string | null;
  /** True for configs whose value is a list, which can be appended to. */
  isList(resourceType: number, name: string): boolean;
  /** The value in force where the resource sets none, as text: what an append to an unset list begins with. */
  defaultValue(resourceType: number, name: string): string | null;
}
