/** Where the leaders named in an answer are reached, on the listener that the request came in on. */
import type { ClusterImage } from '@seatlog/metadata-quorum';

export interface NodeEndpoint {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

export function leaderEndpoints(
  image: ClusterImage,
  listenerName: string,
  leaderIds: readonly number[],
): readonly NodeEndpoint[] {
  const endpoints: NodeEndpoint[] = [];
  for (const nodeId of new Set(leaderIds)) {
    const broker = image.brokers.get(nodeId);
    const endpoint = broker?.endpoints.find(({ name }) => name === listenerName);
    if (broker === undefined || endpoint === undefined) continue;
    endpoints.push({ nodeId, host: endpoint.host, port: endpoint.port, rack: broker.rack });
  }
  return endpoints;
}
