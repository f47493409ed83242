/**
 * A spike from an empty folder to a verdict: start everything, place one order, warm up, let the crowd come, wait until all
 * is worked off, audit. What was started is stopped, whatever happens.
 */
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { reservationEvents } from '@seatlog/booking';
import { createClient } from '@seatlog/kafka-client';
import type { ExternalServices, Stack, StackProgress } from '@seatlog/local-stack';
import { Journal, readJournal } from '../audit/journal.ts';
import { collectFacts } from '../collect/collect-facts.ts';
import { collectLags } from '../collect/lag-facts.ts';
import { untilAtRest } from '../collect/rest.ts';
import { CommandError } from '../demo/command-error.ts';
import { supervise } from '../demo/supervise.ts';
import { startTicketing } from '../ticketing-stack.ts';
import { readSettledTimes } from './confirmation-times.ts';
import { fingerprint } from './fingerprint.ts';
import type { GeneratorMessage } from './generator-messages.ts';
import { runGenerator } from './generator-process.ts';
import { type Hall, hallOf } from './hall.ts';
import { checkKills, scheduleKills } from './kills.ts';
import { type LineOutput, LiveFigures } from './live-figures.ts';
import { placeOpeningOrder } from './opening-order.ts';
import { OrderSampler } from './order-sampler.ts';
import { cpuSeconds } from './process-cpu.ts';
import type { SpikeSettings } from './spike-options.ts';
import type { SpikeRecord } from './spike-result.ts';
import { readGauges } from './stack-gauges.ts';
import { recordOf } from './spike-record.ts';

export interface RunSpikeOptions {
  readonly settings: SpikeSettings;
  /** It is wiped. */
  readonly dataDirectory: string;
  readonly external: ExternalServices;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly output: LineOutput;
  readonly onProgress: (progress: StackProgress) => void;
}

const GAUGE_INTERVAL_MS = 1000;
const REST_MS = 120_000;

export async function runSpike(options: RunSpikeOptions): Promise<SpikeRecord> {
  const { settings, dataDirectory, external, signal, onProgress } = options;
  if (settings.fsync && external.brokers !== undefined) {
    throw new CommandError('--fsync is a setting of our own brokers, and BROKERS names others');
  }
  const runId = `spike-${Date.now().toString(36)}`;
  const hall = hallOf(runId, settings.seats);
  const stack = await startTicketing({
    dataDirectory,
    fresh: true,
    event: hall.event,
    partitions: settings.partitions,
    brokers: settings.brokers,
    workers: settings.workers,
    external,
    appEnvironment: { PRODUCER_ACKS: settings.acks },
    ...(settings.fsync ? { brokerProperties: { 'log.flush.interval.messages': '1' } } : {}),
    signal,
    onProgress,
  });
  const stopping = new AbortController();
  try {
    const spike = new Spike(options, stack, hall, runId);
    return await unlessAborted(spike.run(stopping.signal), signal);
  } finally {
    stopping.abort();
    await stack.stop();
  }
}

class Spike {
  readonly #options: RunSpikeOptions;
  readonly #stack: Stack;
  readonly #hall: Hall;
  readonly #runId: string;
  readonly #live: LiveFigures;
  readonly #sampler: OrderSampler;
  /** What was told before and beside the load: of the opening order, and of sampled ones. */
  readonly #journal = new Journal();
  #cpuBefore: ReadonlyMap<string, number> | null = null;
  #callOffKills = (): void => undefined;

  constructor(options: RunSpikeOptions, stack: Stack, hall: Hall, runId: string) {
    this.#options = options;
    this.#stack = stack;
    this.#hall = hall;
    this.#runId = runId;
    this.#live = new LiveFigures(options.output);
    this.#sampler = new OrderSampler(stack.endpoints.bookingApiUrl, hall.event.eventId);
  }

  /** What ends before `stopping` is started again: killing something under load is a way to see what is lost. */
  run(stopping: AbortSignal): Promise<SpikeRecord> {
    const gaveUp = supervise(this.#stack, stopping, (line) => this.#live.note(line));
    const failed = gaveUp.then(() => Promise.reject(new CommandError('A process could not be kept going.')));
    return Promise.race([this.#sell(), failed]);
  }

  async #sell(): Promise<SpikeRecord> {
    const { settings, external, say } = this.#options;
    const { endpoints } = this.#stack;
    const { eventId } = this.#hall.event;
    const startedAt = new Date();
    checkKills(settings.kills, this.#stack);
    await this.#checkPartitions();
    const opening = { bookingApiUrl: endpoints.bookingApiUrl, eventId, seatId: this.#hall.openingSeatId };
    await placeOpeningOrder(opening, this.#journal);
    const { rate, seconds, profile, seats, seed } = settings;
    say(`selling: ${rate} arrivals/s (${profile}) for ${seconds} s, ${seats} seats, seed ${seed}`);
    const load = await this.#load();
    say('waiting until all is worked off');
    await this.#sampler.close();
    const atRest = await untilAtRest(endpoints, REST_MS);
    say(atRest ? 'at rest; auditing' : 'not at rest in time; auditing what there is');
    const ofCrowd = readJournal(this.#journalFile);
    const journal = [...this.#journal.entries, ...ofCrowd, ...this.#sampler.entries];
    const facts = await collectFacts(endpoints, journal);
    return recordOf({
      runId: this.#runId,
      startedAt,
      settings,
      fingerprint: fingerprint(settings, external),
      ...load,
      live: this.#live,
      sampler: this.#sampler,
      settled: await readSettledTimes(endpoints.databaseUrl, eventId),
      journal: ofCrowd,
      atRest,
      facts,
    });
  }

  async #load() {
    const { settings, signal } = this.#options;
    const { endpoints } = this.#stack;
    const gauging = setInterval(() => {
      void readGauges(endpoints).then((gauges) => this.#live.gauged(gauges));
    }, GAUGE_INTERVAL_MS);
    try {
      const job = {
        settings,
        bookingApiUrl: endpoints.bookingApiUrl,
        eventId: this.#hall.event.eventId,
        journalFile: this.#journalFile,
        runId: this.#runId,
      };
      const generator = await runGenerator(job, { signal, onMessage: (message) => this.#heard(message) });
      const machine = {
        cpuBefore: this.#cpuBefore,
        cpuAfter: cpuSeconds(this.#pids()),
        cores: availableParallelism(),
        loadAverage: loadavg()[0] ?? null,
      };
      return { generator, machine, backlogAtEnd: await this.#backlog() };
    } finally {
      clearInterval(gauging);
      this.#callOffKills();
      this.#live.end();
    }
  }

  #heard(message: GeneratorMessage): void {
    switch (message.kind) {
      case 'progress':
        return this.#live.told(message.progress);
      case 'measuring':
        this.#cpuBefore = cpuSeconds(this.#pids());
        this.#callOffKills = scheduleKills(this.#options.settings.kills, this.#stack);
        return;
      case 'sample':
        return this.#sampler.follow(message.order);
      case 'result':
      case 'failed':
    }
  }

  #pids(): ReadonlyMap<string, number> {
    return new Map([...this.#stack.processes].map(([name, { pid }]) => [name, pid] as const));
  }

  get #journalFile(): string {
    return join(this.#stack.dataDirectory, 'spike-journal.jsonl');
  }

  async #backlog(): Promise<number> {
    const lags = await this.#withClient(collectLags);
    return lags
      .filter(({ topic }) => topic === reservationEvents.name)
      .reduce((sum, { lag }) => sum + lag, 0);
  }

  /** A cluster that was there before may have the topic with other partitions, and then the run is not what it says. */
  async #checkPartitions(): Promise<void> {
    const [topic] = await this.#withClient((client) =>
      client.admin().describeTopics([reservationEvents.name]),
    );
    const { partitions } = this.#options.settings;
    const found = topic?.partitions.length ?? 0;
    if (found === partitions) return;
    throw new CommandError(
      `${reservationEvents.name} has ${found} partitions there, not ${partitions}. Ask for --partitions ${found}, or delete the topic.`,
    );
  }

  async #withClient<T>(use: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> {
    const { brokers } = this.#stack.endpoints;
    const client = createClient({ brokers, clientId: 'seatlog-load', allowAutoTopicCreation: false });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail, { once: true });
  });
  return Promise.race([promise, aborted]);
}
