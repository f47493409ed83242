/** The bounds of a node's listeners, from its configuration. */
import type { BrokerConfigValues } from '../config/definitions.ts';
import type { ServerLimits } from './socket-server.ts';

/** `withinDescriptors`: what the limit of open files leaves for connections. */
export function serverLimits(
  values: BrokerConfigValues,
  withinDescriptors = Number.MAX_SAFE_INTEGER,
): ServerLimits {
  return {
    maxFrameBytes: values['socket.request.max.bytes'],
    maxIdleMs: values['connections.max.idle.ms'],
    frameTimeoutMs: values['seatlog.frame.timeout.ms'],
    maxWaitingRequests: values['queued.max.requests'],
    maxRequestBytes: values['seatlog.connection.receive.buffer.bytes'],
    maxUnsentBytes: values['seatlog.connection.send.buffer.bytes'],
    maxConnections: Math.min(values['max.connections'], withinDescriptors),
    maxConnectionsPerHost: values['max.connections.per.ip'],
    backlog: values['socket.listen.backlog.size'],
  };
}
