/** All checks on one history, in the order in which they explain each other. */
import type { Anomaly } from './anomaly.ts';
import { acknowledgedButNotRead } from './checks/acknowledged-but-not-read.ts';
import { contradictions } from './checks/contradictions.ts';
import { duplicates } from './checks/duplicates.ts';
import { groundlessReads } from './checks/groundless-reads.ts';
import { pollOrder } from './checks/poll-order.ts';
import { sendOrder } from './checks/send-order.ts';
import { transactionCycles } from './checks/transaction-cycles.ts';
import type { History } from './history.ts';
import { Versions } from './partition-versions.ts';

type Check = (versions: Versions, history: History) => readonly Anomaly[];

const checks: readonly Check[] = [
  acknowledgedButNotRead,
  contradictions,
  duplicates,
  groundlessReads,
  pollOrder,
  sendOrder,
  transactionCycles,
];

/** Expects that consumers read to the end before: else the youngest records are `unseen`. */
export function checkHistory(history: History): readonly Anomaly[] {
  const versions = new Versions(history);
  return checks.flatMap((check) => check(versions, history));
}
