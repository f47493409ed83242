/**
 * Writes down what the brokers that `BROKERS` names answer: `BROKERS=host:port node tests/compatibility/transcripts/record.ts`.
 *
 * They are one node of Apache Kafka on an empty directory, with node.id=1, min.insync.replicas=1,
 * group.initial.rebalance.delay.ms=0 and the replication factor of its internal topics at 1, formatted with `--feature eligible.leader.replicas.version=0` (else it
 * keeps min.insync.replicas as a config of the cluster).
 */
import { writeRecording } from './recording.ts';
import { scenarios } from './scenarios/index.ts';
import { Session } from './session.ts';

const address = process.env['BROKERS'];
if (address === undefined || address === '') throw new Error('BROKERS names the broker to ask: host:port');

for (const { name, tell } of scenarios) {
  await using session = new Session(address);
  await tell(session);
  writeRecording(name, session.transcript);
  process.stdout.write(`${name}: ${Object.keys(session.transcript).length} steps\n`);
}
