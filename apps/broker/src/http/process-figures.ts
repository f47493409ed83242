/** What a node says of its own process. */
export interface ProcessFigures {
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly cpuSeconds: number;
  readonly uptimeSeconds: number;
  readonly connections: number;
}

export function processFigures(uptimeMs: number, connections: number): ProcessFigures {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    residentBytes: rss,
    heapUsedBytes: heapUsed,
    cpuSeconds: (user + system) / 1e6,
    uptimeSeconds: uptimeMs / 1000,
    connections,
  };
}
