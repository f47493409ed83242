/**
 * The routes that every process answers to those who run it: `/health/live`, `/health/ready`, `/metrics`. They are put on
 * the HTTP server itself, beside a framework's own pipeline, so that guards, pipes and filters of the application cannot
 * change them.
 */
import type { Registry } from 'prom-client';
import type { HealthRegistry, HealthReport } from './health-registry.ts';

interface Reply {
  code(status: number): Reply;
  type(contentType: string): Reply;
  header(name: string, value: string): Reply;
  send(payload: unknown): unknown;
}

/** What is asked of a server; Fastify has it. */
export interface RouteTarget {
  get(path: string, handler: (request: unknown, reply: Reply) => Promise<unknown>): unknown;
}

export function addOperationsRoutes(
  server: RouteTarget,
  operations: { readonly health: HealthRegistry; readonly metrics: Registry },
): void {
  const { health, metrics } = operations;
  server.get('/health/live', async (_request, reply) => sendReport(reply, health.live()));
  server.get('/health/ready', async (_request, reply) => sendReport(reply, await health.ready()));
  server.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
}

function sendReport(reply: Reply, report: HealthReport): unknown {
  return reply
    .code(report.status === 'ok' ? 200 : 503)
    .header('cache-control', 'no-store')
    .send(report);
}
