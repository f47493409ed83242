/**
 * `npm run audit -- [--journal file] [--data directory] [--json]`: looks at every place that knows something about the
 * sale. Which servers: DATABASE_URL, REDIS_URL and BROKERS if all three are given, else the demo that runs.
 * Exit code 0: sound; 1: something was found; 2: the audit could not be made.
 */
import { parseArgs } from 'node:util';
import { layoutDirectory, readRunningStack, type ServiceEndpoints } from '@seatlog/local-stack';
import { audit, type AuditReport } from './audit/audit.ts';
import { readJournal } from './audit/journal.ts';
import { rules } from './audit/violation.ts';
import { collectFacts } from './collect/collect-facts.ts';
import { untilAtRest } from './collect/rest.ts';

/** A demo that someone is buying from may never come to rest; the audit does not wait long for it. */
const REST_MS = 30_000;
const LAYOUTS = ['one-node', '3-nodes'] as const;

function endpointsToAudit(dataDirectory: string | undefined): ServiceEndpoints {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, BROKERS: brokers } = process.env;
  if (databaseUrl !== undefined && redisUrl !== undefined && brokers !== undefined) {
    return { databaseUrl, redisUrl, brokers };
  }
  const folders = dataDirectory === undefined ? LAYOUTS.map(layoutDirectory) : [dataDirectory];
  for (const folder of folders) {
    const stack = readRunningStack(folder);
    if (stack !== undefined) return stack.endpoints;
  }
  throw new Error(
    `No demo runs on ${folders.join(' or ')}. Start one (npm run demo), or give DATABASE_URL, REDIS_URL and BROKERS.`,
  );
}

function text({ ok, figures, violations }: AuditReport): string {
  const { seats, confirmed, rejected, cancelled, refunded, orders, events } = figures;
  const lines = [
    `${orders} orders, ${events} records in the log`,
    `${seats} seats: ${confirmed} sold; ${cancelled} reservations cancelled, ${rejected} rejected, ${refunded} refunded`,
    ...violations.map(({ rule, message }) => `✗ ${rule}: ${message} (${rules[rule]})`),
    ok ? '✓ sound' : `✗ ${violations.length} found`,
  ];
  return lines.join('\n');
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      journal: { type: 'string' },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const endpoints = endpointsToAudit(values.data);
  const journal = values.journal === undefined ? null : readJournal(values.journal);
  await untilAtRest(endpoints, REST_MS);
  const report = audit(await collectFacts(endpoints, journal));
  process.stdout.write(`${values.json ? JSON.stringify(report) : text(report)}\n`);
  return report.ok ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
