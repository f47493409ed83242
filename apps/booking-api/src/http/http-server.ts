/** The HTTP side of the API, set up the same in the process and in tests. */
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { TOKEN_MAX_LENGTH } from '@seatlog/booking';
import { addOperationsRoutes, type HealthRegistry, type Logger, type Registry } from '@seatlog/observability';
import type { AdmissionGate } from '../admission/admission-gate.ts';
import type { ApiMetrics } from '../api-metrics.ts';
import { addAdmissionHook } from './admission-hook.ts';
import { ProblemFilter } from './problem-filter.ts';
import { SchemaPipe } from './schema-pipe.ts';

/** An order of six seats with the longest ids takes less than one. */
const LARGEST_BODY_BYTES = 8 * 1024;
/** From the first byte of a request to its last. */
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 65_000;

export function httpAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    logger: false,
    bodyLimit: LARGEST_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    routerOptions: { maxParamLength: TOKEN_MAX_LENGTH },
    // While closing, requests on open connections get our own refusal.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
}

export interface HttpSetup {
  readonly logger: Logger;
  readonly health: HealthRegistry;
  readonly registry: Registry;
  readonly metrics: ApiMetrics;
  readonly gates: { readonly reservations: AdmissionGate; readonly reads: AdmissionGate };
}

/** Before `app.init()` or `app.listen()`. */
export function setUpHttp(app: NestFastifyApplication, setup: HttpSetup): void {
  const { logger, health, registry, metrics, gates } = setup;
  const server = app.getHttpAdapter().getInstance();
  addAdmissionHook(server, { ...gates, health, onRefused: (code) => metrics.answered(code) });
  addOperationsRoutes(server, { health, metrics: registry });
  app.useGlobalFilters(new ProblemFilter(logger));
  app.useGlobalPipes(new SchemaPipe());
  const description = new DocumentBuilder()
    .setTitle('Seatlog booking API')
    .setDescription('Refusals are problem documents (RFC 9457) with a stable `code`.')
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, description));
}
