/** Facts for an audit, from the servers of a system at rest. */
import type { ServiceEndpoints } from '@seatlog/local-stack';
import { createClient } from '@seatlog/kafka-client';
import type { AuditFacts } from '../audit/facts.ts';
import type { JournalEntry } from '../audit/journal.ts';
import { collectDatabase } from './database-facts.ts';
import { collectLags } from './lag-facts.ts';
import { collectLocks } from './lock-facts.ts';
import { collectLog } from './log-facts.ts';

export async function collectFacts(
  endpoints: ServiceEndpoints,
  journal: readonly JournalEntry[] | null,
): Promise<AuditFacts> {
  const client = createClient({
    brokers: endpoints.brokers,
    clientId: 'seatlog-audit',
    allowAutoTopicCreation: false,
  });
  try {
    const database = await collectDatabase(endpoints.databaseUrl);
    const [log, lags, locks] = await Promise.all([
      collectLog(client),
      collectLags(client),
      collectLocks(endpoints.redisUrl, database.seatIds),
    ]);
    return { journal, database, log, locks, lags };
  } finally {
    await client.close();
  }
}
