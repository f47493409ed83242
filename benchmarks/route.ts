/**
 * What a reservation costs the booking API, beside a raw Fastify route that does the same Redis calls and the same produce:
 *
 *     node benchmarks/route.ts [rounds] [requests a measurement]
 *
 * The real processes on a real Redis and broker; interleaved, the same requests to both. The measure is CPU time of the
 * server's process for each request. Prints a table and a JSON line.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { wipeDataDirectory } from '@seatlog/local-stack';
import { cpuNanoseconds } from './broker/process-cpu.ts';
import { median } from './broker/set-up.ts';
import { Buyers } from './route/buyers.ts';
import { openShop, type ServerUnderTest } from './route/shop.ts';

interface Measure {
  readonly cpuMicros: number;
  readonly perSecond: number;
}

export interface RouteReport {
  readonly benchmark: 'route';
  readonly node: string;
  readonly rounds: number;
  readonly requests: number;
  readonly api: Measure;
  readonly raw: Measure;
  /** Median over the rounds of api / raw, by CPU time. */
  readonly timesRaw: number;
}

const DEFAULT_ROUNDS = 7;
const DEFAULT_REQUESTS = 3000;
/** Seats for those who ask before the sale is open. */
const SPARE_SEATS = 500;

export async function run(rounds: number, requests: number): Promise<RouteReport> {
  const directory = mkdtempSync(`${tmpdir()}/seatlog-route-benchmark-`);
  try {
    await using shop = await openShop(directory, (rounds + 1) * requests + SPARE_SEATS);
    const [api, raw] = [new Buyers(shop.api), new Buyers(shop.raw)];
    await api.untilOnSale();
    await raw.untilOnSale();
    const measured: { api: Measure; raw: Measure }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const both = {
        api: await measure(shop.api, api, requests),
        raw: await measure(shop.raw, raw, requests),
      };
      // The first round warms up.
      if (round > 0) measured.push(both);
    }
    await Promise.all([api.close(), raw.close()]);
    const of = (name: 'api' | 'raw'): Measure => ({
      cpuMicros: median(measured.map((round) => round[name].cpuMicros)),
      perSecond: median(measured.map((round) => round[name].perSecond)),
    });
    return {
      benchmark: 'route',
      node: process.version,
      rounds,
      requests,
      api: of('api'),
      raw: of('raw'),
      timesRaw: median(measured.map((round) => round.api.cpuMicros / round.raw.cpuMicros)),
    };
  } finally {
    wipeDataDirectory(directory);
  }
}

async function measure(server: ServerUnderTest, buyers: Buyers, requests: number): Promise<Measure> {
  const before = cpuNanoseconds(server.processId);
  const start = performance.now();
  await buyers.buy(requests);
  const seconds = (performance.now() - start) / 1000;
  return {
    cpuMicros: (cpuNanoseconds(server.processId) - before) / 1000 / requests,
    perSecond: requests / seconds,
  };
}

export function formatReport(report: RouteReport): string {
  const row = (name: string, { cpuMicros, perSecond }: Measure): string =>
    `${name.padEnd(14)}${cpuMicros.toFixed(0).padStart(8)} µs CPU${perSecond.toFixed(0).padStart(8)} requests/s`;
  return [
    `POST of a reservation, one seat, medians of ${report.rounds} rounds of ${report.requests}`,
    row('booking API', report.api),
    row('raw Fastify', report.raw),
    `${report.timesRaw.toFixed(2)}x by CPU`,
  ].join('\n');
}

if (import.meta.main) {
  const [rounds = DEFAULT_ROUNDS, requests = DEFAULT_REQUESTS] = process.argv.slice(2).map(Number);
  const report = await run(rounds, requests);
  process.stdout.write(`${formatReport(report)}\n${JSON.stringify(report)}\n`);
}
