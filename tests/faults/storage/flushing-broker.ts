/** A broker that syncs each record before it acknowledges it, with a topic that has some already. */
import { AckedJournal } from './acked-journal.ts';
import { BrokerOnDisk } from './broker-on-disk.ts';

const FLUSHED = { 'flush.messages': '1' } as const;

export interface FlushingBroker {
  readonly broker: BrokerOnDisk;
  readonly first: AckedJournal;
  /** Of the second partition, or the first once more where there is one alone. */
  readonly second: AckedJournal;
}

export async function flushingBroker(
  topic: string,
  partitions: number,
  properties: Readonly<Record<string, string>> = {},
): Promise<FlushingBroker> {
  const broker = await BrokerOnDisk.start({ properties });
  await broker.createTopic(topic, partitions, FLUSHED);
  const journals = Array.from({ length: partitions }, (_, at) => new AckedJournal(broker.client, topic, at));
  const [first, second = first] = journals;
  if (first === undefined || second === undefined) throw new Error('a topic has a partition');
  await Promise.all(journals.map((journal) => journal.write(5)));
  return { broker, first, second };
}
