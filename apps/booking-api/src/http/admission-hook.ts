/**
 * Turns requests away before their body is read: while shutting down, and above the number that can be served in time.
 * Routes that sell and routes that only look have a gate each, so that lookers do not keep buyers out.
 */
import { BookingProblem } from '@seatlog/booking';
import type { HealthRegistry } from '@seatlog/observability';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  onRequestHookHandler,
} from 'fastify';
import type { AdmissionGate } from '../admission/admission-gate.ts';
import { sendProblem } from './problem-filter.ts';

export interface AdmissionHookOptions {
  readonly reservations: AdmissionGate;
  readonly reads: AdmissionGate;
  readonly health: HealthRegistry;
  /** Told the code of each refusal. */
  readonly onRefused: (code: string) => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The gate that let it in, until it leaves. */
    gate: AdmissionGate | null;
  }
}

/** Before any route is added: each route learns here which gate it has. */
export function addAdmissionHook(server: FastifyInstance, options: AdmissionHookOptions): void {
  const { health } = options;
  server.decorateRequest('gate', null);
  server.addHook('onRoute', (route) => {
    const isRead = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
    if (!isGuarded(route.url)) return;
    const admit = isRead ? admitReads(options) : admitReservations(options);
    route.onRequest = [admit, route.onRequest ?? []].flat();
    route.onResponse = [leave, route.onResponse ?? []].flat();
  });
  // Every answer from now on closes its connection, or the server would wait for connections that clients keep open.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (health.isDraining) void reply.header('connection', 'close');
    done();
  });
}

function admitReads({ reads, onRefused }: AdmissionHookOptions): onRequestHookHandler {
  return (request, reply, done) => enter(reads, request, reply, done, onRefused);
}

function admitReservations(options: AdmissionHookOptions): onRequestHookHandler {
  const { reservations, health, onRefused } = options;
  return (request, reply, done) => {
    if (!health.isDraining) return enter(reservations, request, reply, done, onRefused);
    return refuse(new BookingProblem('SHUTTING_DOWN'), reply, onRefused);
  };
}

function enter(
  gate: AdmissionGate,
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
  onRefused: (code: string) => void,
): void {
  const refusal = gate.enter();
  if (refusal !== null) return refuse(refusal, reply, onRefused);
  request.gate = gate;
  return done();
}

function refuse(problem: BookingProblem, reply: FastifyReply, onRefused: (code: string) => void): void {
  onRefused(problem.code);
  void sendProblem(reply, problem);
}

// Comes for every request, also when the client goes away: then the answer is made all the same.
function leave(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  request.gate?.leave();
  request.gate = null;
  done();
}

/** Health, metrics and documentation are never turned away. */
function isGuarded(url: string): boolean {
  return url.startsWith('/events') || url.startsWith('/reservations');
}
