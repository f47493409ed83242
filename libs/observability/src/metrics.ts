/** One registry of metrics for a process, with the process's own (CPU, memory, event loop lag) in it. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry };

/** Bounds in seconds for what a buyer waits for: from a millisecond to the ten seconds at which everything has given up. */
export const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(options: { readonly service: string; readonly process?: boolean }): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service: options.service });
  if (options.process ?? true) collectDefaultMetrics({ register: registry });
  return registry;
}
