/**
 * What a produced and a fetched MiB cost the broker, beside their floors, in one run:
 *
 *     node benchmarks/broker.ts [rounds] [MiB per measurement]
 *
 * The broker, and each floor, is a process of its own; the client has the other core. Then three clients produce to the
 * same broker, each a process of its own, interleaved. Prints tables and a JSON line.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { startBrokerProcess } from './broker/broker-process.ts';
import { compareFetch, type FetchResult } from './broker/fetch-comparison.ts';
import { compareProduce, type ProduceResult } from './broker/produce-comparison.ts';
import { formatReport as formatClients, run as compareClients, type SdkReport } from './sdk.ts';

export interface BrokerReport {
  readonly benchmark: 'broker';
  readonly node: string;
  readonly rounds: number;
  readonly durability: string;
  readonly acks: 1;
  readonly produce: readonly ProduceResult[];
  readonly fetch: FetchResult;
  /** This client, kafkajs and @platformatic/kafka producing to the broker. */
  readonly clients: SdkReport;
}

const MIB = 1024 * 1024;
/** Short: the fastest writes a GB a second, and too many dirty pages slow everybody down. */
const CLIENT_SECONDS = 0.5;
const CLIENT_SHAPES = ['produce-1000x1k', 'produce-100x1k-5-in-flight', 'sequential-100'] as const;
const DEFAULT_ROUNDS = 5;
const DEFAULT_MIB = 128;
const BATCHES = [1, 16, 100, 1000] as const;
/** Small batches take longer for the same bytes. */
const SMALL_BATCH_SHARE = 0.5;

export async function run(rounds: number, mebibytes: number): Promise<BrokerReport> {
  const directory = mkdtempSync(`${tmpdir()}/seatlog-broker-benchmark-`);
  const broker = await startBrokerProcess(directory);
  try {
    const produce: ProduceResult[] = [];
    for (const recordsPerBatch of BATCHES) {
      const share = recordsPerBatch === 1 ? SMALL_BATCH_SHARE : 1;
      const bytesPerMeasurement = mebibytes * MIB * share;
      produce.push(await compareProduce(broker, directory, recordsPerBatch, { rounds, bytesPerMeasurement }));
    }
    const fetch = await compareFetch(broker, rounds, mebibytes * MIB * 4);
    const address = `127.0.0.1:${broker.port}`;
    const clients = await compareClients(rounds, CLIENT_SECONDS, CLIENT_SHAPES, address);
    return {
      benchmark: 'broker',
      node: process.version,
      rounds,
      durability: 'page cache (log.flush.interval.messages unlimited)',
      acks: 1,
      produce,
      fetch,
      clients,
    };
  } finally {
    await broker.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

export function formatReport(report: BrokerReport): string {
  const lines = [
    `Produce, acks=${report.acks}, ${report.durability}; CPU in µs/MiB, medians of ${report.rounds} rounds`,
    ['records/batch', 'records/s', 'broker', 'receive', '+ CRC', '+ write', 'broker/floor']
      .map(cell)
      .join(''),
    ...report.produce.map((row) =>
      [
        String(row.recordsPerBatch),
        Math.round(row.recordsPerSecond).toLocaleString('en'),
        row.brokerMicrosPerMib.toFixed(0),
        row.receiveMicrosPerMib.toFixed(0),
        row.crcMicrosPerMib.toFixed(0),
        row.floorMicrosPerMib.toFixed(0),
        `${row.timesFloor.toFixed(2)}x`,
      ]
        .map(cell)
        .join(''),
    ),
    '',
    `Hot fetch of ${(report.fetch.fetchBytes / MIB).toFixed(2)} MiB a request, beside socket.write of the same bytes`,
    ['', 'MiB/s', 'CPU µs/MiB'].map(cell).join(''),
    ['broker', report.fetch.brokerMibPerSecond.toFixed(0), report.fetch.brokerMicrosPerMib.toFixed(0)]
      .map(cell)
      .join(''),
    ['bare', report.fetch.bareMibPerSecond.toFixed(0), report.fetch.bareMicrosPerMib.toFixed(0)]
      .map(cell)
      .join(''),
    ['share', percent(report.fetch.shareOfThroughput), percent(report.fetch.shareOfCpu)].map(cell).join(''),
    '',
    `Clients producing to this broker, acks=1 (seatlog-idempotent: acks=all), ${report.durability}`,
    formatClients(report.clients),
  ];
  return lines.join('\n');
}

function cell(text: string): string {
  return text.padStart(15);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

if (import.meta.main) {
  const [rounds = DEFAULT_ROUNDS, mebibytes = DEFAULT_MIB] = process.argv.slice(2).map(Number);
  const report = await run(rounds, mebibytes);
  process.stdout.write(`${formatReport(report)}\n${JSON.stringify(report)}\n`);
}
