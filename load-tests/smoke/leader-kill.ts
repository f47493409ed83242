/**
 * Kills the leader of a partition while it is sold from, waits until another leads, starts it again, waits until it is in
 * sync again. Known by the wire alone: who leads is what the cluster tells its clients.
 */
import { reservationEvents } from '@seatlog/booking';
import { createClient, type KafkaClient, type PartitionDescription } from '@seatlog/kafka-client';
import type { ManagedProcess, Stack } from '@seatlog/local-stack';

/** Longer than a session of a broker, an election and a restart take on a busy machine. */
const DEADLINE_MS = 120_000;
const LOOK_AGAIN_MS = 50;

export interface LeaderKill {
  readonly process: string;
  readonly partition: number;
  readonly nextLeader: number;
  /** From the kill until another leads. */
  readonly leaderlessMs: number;
  /** From the kill until every replica of the topic is in sync again. */
  readonly wholeAfterMs: number;
}

export async function killLeader(stack: Stack, say: (line: string) => void): Promise<LeaderKill> {
  const client = createClient({ brokers: stack.endpoints.brokers, clientId: 'seatlog-smoke' });
  try {
    const [partition] = await partitionsOf(client);
    if (partition === undefined || partition.leader === null)
      throw new Error(`${reservationEvents.name} has no leader to kill`);
    const victim = brokerProcess(stack, partition.leader);
    const index = partition.partition;
    say(`killing ${victim.name}, the leader of ${reservationEvents.name}-${index}`);
    const began = performance.now();
    const since = (): number => Math.round(performance.now() - began);
    victim.kill('SIGKILL');
    await victim.exited;
    const nextLeader = await until('another leader', client, (partitions) => {
      const now = partitions.find((one) => one.partition === index);
      return now?.leader === partition.leader ? null : (now?.leader ?? null);
    });
    const leaderlessMs = since();
    say(`broker-${nextLeader} leads after ${leaderlessMs} ms; starting ${victim.name} again`);
    await victim.restart();
    await until('all replicas in sync', client, (partitions) =>
      partitions.every(({ isr, replicas }) => isr.length === replicas.length) ? true : null,
    );
    const wholeAfterMs = since();
    say(`all replicas are in sync again ${wholeAfterMs} ms after the kill`);
    return { process: victim.name, partition: index, nextLeader, leaderlessMs, wholeAfterMs };
  } finally {
    await client.close();
  }
}

function brokerProcess(stack: Stack, nodeId: number): ManagedProcess {
  const found = stack.processes.get(`broker-${nodeId}`);
  if (found === undefined) throw new Error(`broker ${nodeId} is not a process of this stack`);
  return found;
}

async function partitionsOf(client: KafkaClient): Promise<readonly PartitionDescription[]> {
  const [topic] = await client.admin().describeTopics([reservationEvents.name]);
  return topic?.partitions ?? [];
}

async function until<T>(
  what: string,
  client: KafkaClient,
  look: (partitions: readonly PartitionDescription[]) => T | null,
): Promise<T> {
  const end = performance.now() + DEADLINE_MS;
  for (;;) {
    const found = look(await partitionsOf(client).catch(() => []));
    if (found !== null) return found;
    if (performance.now() > end) throw new Error(`${what} did not come within ${DEADLINE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
