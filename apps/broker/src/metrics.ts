/**
 * Counters of the broker, bumped by the code that does the counted thing and read by `/metrics`. Plain numbers:
 * nothing is allocated or looked up where they are bumped.
 */
export interface BrokerMetrics {
  messagesIn: number;
  bytesIn: number;
  bytesOut: number;
  produceRequests: number;
  failedProduceRequests: number;
  fetchRequests: number;
  failedFetchRequests: number;
  connectionsAccepted: number;
  connectionsRefused: number;
  connectionsClosedForProtocol: number;
  uncleanLeaderElections: number;
  isrShrinks: number;
  isrExpands: number;
  failedIsrUpdates: number;
  /** Requests answered, by API key: each API's own counter is bumped by whoever routes to it. */
  readonly requestsByApi: Map<number, RequestCounter>;
}

export interface RequestCounter {
  count: number;
}

export function createMetrics(): BrokerMetrics {
  return {
    messagesIn: 0,
    bytesIn: 0,
    bytesOut: 0,
    produceRequests: 0,
    failedProduceRequests: 0,
    fetchRequests: 0,
    failedFetchRequests: 0,
    connectionsAccepted: 0,
    connectionsRefused: 0,
    connectionsClosedForProtocol: 0,
    uncleanLeaderElections: 0,
    isrShrinks: 0,
    isrExpands: 0,
    failedIsrUpdates: 0,
    requestsByApi: new Map(),
  };
}
