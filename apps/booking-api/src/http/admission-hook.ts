/**
 * Turns requests away before their body is read: while shutting down, and above the number that can be served in time.
 * Routes that sell and routes that only look have a gate each, so that lookers do not keep buyers out.
 */
import { BookingProblem } from '@seatlog/booking';
import type { HealthRegistry } from '@seatlog/observability';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AdmissionGate } from '../admission/admission-gate.ts';
import { sendProblem } from './problem-filter.ts';

export interface AdmissionHookOptions {
  readonly reservations: AdmissionGate;
  readonly reads: AdmissionGate;
  readonly health: HealthRegistry;
  /** Told the code of each refusal. */
  readonly onRefused: (code: string) => void;
}

export function addAdmissionHook(server: FastifyInstance, options: AdmissionHookOptions): void {
  const { health, onRefused } = options;
  const inside = new WeakMap<FastifyRequest, AdmissionGate>();

  const leave = (request: FastifyRequest): void => {
    inside.get(request)?.leave();
    inside.delete(request);
  };

  server.addHook('onRequest', (request, reply, done) => {
    const gate = gateOf(request, options);
    if (gate === null) return done();
    const writes = request.method !== 'GET';
    const refusal = writes && health.isDraining ? new BookingProblem('SHUTTING_DOWN') : gate.enter();
    if (refusal === null) {
      inside.set(request, gate);
      return done();
    }
    onRefused(refusal.code);
    void sendProblem(reply, refusal);
    return undefined;
  });
  // Every answer from now on closes its connection, or the server would wait for connections that clients keep open.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (health.isDraining) void reply.header('connection', 'close');
    done();
  });
  // One of the two comes for every request, also when the client goes away: then the answer is made all the same.
  server.addHook('onResponse', (request, _reply, done) => {
    leave(request);
    done();
  });
}

/** null for what is never turned away: health, metrics, documentation. */
function gateOf(request: FastifyRequest, options: AdmissionHookOptions): AdmissionGate | null {
  const route = request.routeOptions.url ?? '';
  if (!route.startsWith('/events') && !route.startsWith('/reservations')) return null;
  return request.method === 'GET' ? options.reads : options.reservations;
}
