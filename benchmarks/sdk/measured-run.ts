/**
 * One client, one shape, in a process of its own: `measured-run.ts <client> <shape> <brokers> <seconds> <acks>`. Warms up for
 * half the time, then measures; prints one line of JSON.
 */
import { kafkajsClient } from './kafkajs-client.ts';
import { platformaticClient } from './platformatic-client.ts';
import { seatlogClient } from './seatlog-client.ts';
import {
  SHAPES,
  topicFor,
  type ClientName,
  type MeasuredClient,
  type MeasuredClientOptions,
  type Shape,
  type ShapeName,
} from './shapes.ts';

export interface RunResult {
  readonly records: number;
  readonly ms: number;
  /** CPU time of the process in that time. */
  readonly cpuMs: number;
  /** Where one record is sent after another: how long half of the sends took at most, microseconds; else null. */
  readonly p50Micros: number | null;
}

const FACTORIES: Readonly<
  Record<ClientName, (options: MeasuredClientOptions) => MeasuredClient | Promise<MeasuredClient>>
> = {
  seatlog: seatlogClient,
  kafkajs: kafkajsClient,
  platformatic: platformaticClient,
};

class Stopwatch {
  readonly #warmUpMs: number;
  readonly #measureMs: number;
  #startedAt = performance.now();
  #cpuAtStart = process.cpuUsage();
  #records = 0;
  #warm = false;
  readonly #sendMs: number[] = [];

  constructor(seconds: number) {
    this.#measureMs = seconds * 1000;
    this.#warmUpMs = this.#measureMs / 2;
  }

  /** Counts; true when the time is up. */
  count(records: number): boolean {
    const elapsed = performance.now() - this.#startedAt;
    if (!this.#warm) {
      if (elapsed < this.#warmUpMs) return false;
      this.#warm = true;
      this.#startedAt = performance.now();
      this.#cpuAtStart = process.cpuUsage();
      return false;
    }
    this.#records += records;
    return elapsed >= this.#measureMs;
  }

  /** One send took so long. */
  note(ms: number): void {
    if (this.#warm) this.#sendMs.push(ms);
  }

  result(): RunResult {
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const ms = performance.now() - this.#startedAt;
    const p50 = this.#sendMs.toSorted((a, b) => a - b)[this.#sendMs.length >> 1];
    return {
      records: this.#records,
      ms,
      cpuMs: (user + system) / 1000,
      p50Micros: p50 === undefined ? null : p50 * 1000,
    };
  }
}

async function produce(
  client: MeasuredClient,
  shape: Extract<Shape, { kind: 'produce' }>,
  seconds: number,
): Promise<RunResult> {
  const topic = topicFor(shape);
  const value = Buffer.alloc(shape.valueBytes, 'x');
  await client.send(topic, value, 1);
  const watch = new Stopwatch(seconds);
  if (shape.perSend === 1 && shape.inFlight > 1) {
    // All at once, then the next all at once: as a burst of requests to an API would.
    for (let over = false; !over; ) {
      await Promise.all(Array.from({ length: shape.inFlight }, () => client.send(topic, value, 1)));
      over = watch.count(shape.inFlight);
    }
    return watch.result();
  }
  let over = false;
  const isOneByOne = shape.perSend === 1;
  const lane = async (): Promise<void> => {
    while (!over) {
      const sentAt = isOneByOne ? performance.now() : 0;
      await client.send(topic, value, shape.perSend);
      if (isOneByOne) watch.note(performance.now() - sentAt);
      over ||= watch.count(shape.perSend);
    }
  };
  await Promise.all(Array.from({ length: shape.inFlight }, lane));
  return watch.result();
}

async function consume(client: MeasuredClient, shape: Shape, seconds: number): Promise<RunResult> {
  let watch: Stopwatch | null = null;
  let result: RunResult | null = null;
  await client.consume(topicFor(shape), (records, bytes) => {
    if (bytes !== records * shape.valueBytes) throw new Error(`${records} records with ${bytes} bytes`);
    watch ??= new Stopwatch(seconds);
    if (result === null && watch.count(records)) result = watch.result();
    return result !== null;
  });
  return result ?? { records: 0, ms: 0, cpuMs: 0, p50Micros: null };
}

const [clientName, shapeName, brokers = '', seconds = '2', acks = '1'] = process.argv.slice(2);
const shape = SHAPES[shapeName as ShapeName];
const client = await FACTORIES[clientName as ClientName]({ brokers, acks: acks === '1' ? 1 : -1 });
const measure =
  shape.kind === 'produce'
    ? produce(client, shape, Number(seconds))
    : consume(client, shape, Number(seconds));
console.log(JSON.stringify(await measure));
// Peers keep connections open for a while: the figures are out, nothing else is wanted of this process.
process.exit(0);
