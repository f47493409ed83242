import { problems } from '@seatlog/booking';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiFixture, type ApiFixture } from '../testing/api-fixture.ts';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
  readonly requestBody?: unknown;
}

describe('the OpenAPI page', () => {
  let fixture: ApiFixture;
  let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  let schemas: Readonly<Record<string, unknown>>;
  beforeAll(async () => {
    fixture = await apiFixture();
    const document = (await fixture.app.inject({ method: 'GET', url: '/docs-json' })).json();
    paths = document.paths;
    schemas = document.components.schemas;
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it('is shown at /docs', async () => {
    const page = await fixture.app.inject({ method: 'GET', url: '/docs' });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
    const script = await fixture.app.inject({ method: 'GET', url: '/docs/swagger-ui-bundle.js' });
    expect(script.statusCode).toBe(200);
  });

  it('has every route, with its schemas', () => {
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(routes.toSorted()).toEqual([
      'delete /reservations/{token}',
      'get /events',
      'get /events/{id}/seats',
      'get /reservations/{token}',
      'post /events/{id}/reservations',
    ]);
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        'ReservationRequest',
        'AcceptedReservation',
        'ReservationStatus',
        'SeatList',
        'Problem',
      ]),
    );
    expect(JSON.stringify(paths['/events/{id}/reservations']?.['post']?.requestBody)).toContain(
      'ReservationRequest',
    );
  });

  it('names every refusal under the status that it comes with', () => {
    const documented = new Set<string>();
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        for (const [, code = ''] of description.matchAll(/`([A-Z_]+)`:/g)) {
          documented.add(`${status} ${code}`);
        }
      }
    }
    const expected = Object.entries(problems)
      .filter(([code]) => code !== 'INTERNAL')
      .map(([code, { status }]) => `${status} ${code}`);
    expect([...documented].toSorted()).toEqual(expected.toSorted());
  });
});
