/**
 * One controller that never fails: what it decides is committed a moment later, and brokers fetch it. For seeds that are
 * about replication alone.
 */
import { type ClusterImage, emptyImage, MetadataController } from '@seatlog/metadata-quorum';
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedNetwork } from '../network/simulated-network.ts';
import { SimulatedProcess } from '../process/simulated-process.ts';
import type { EventQueue } from '../schedule/event-queue.ts';
import { FIRST_CONTROLLER, type SimulationSettings } from '../simulation-settings.ts';
import { ControllerService } from './controller-service.ts';
import type { ControllerCall, MetadataPlane } from './metadata-plane.ts';

export interface SteadyControllerOptions {
  readonly queue: EventQueue;
  readonly network: SimulatedNetwork;
  readonly random: SeededRandom;
  readonly settings: SimulationSettings;
  /** Called with each image once it is committed. */
  readonly committed: (image: ClusterImage) => void;
}

interface ParkedFetch {
  readonly process: SimulatedProcess;
  readonly respond: (image: ClusterImage) => void;
}

const METADATA_WAIT_MS = 500;

export class SteadyController implements MetadataPlane {
  readonly process: SimulatedProcess;
  readonly activeService: ControllerService;
  readonly activeNode = FIRST_CONTROLLER;
  readonly #options: SteadyControllerOptions;
  readonly #controller: MetadataController;
  readonly #uncommitted: ClusterImage[] = [];
  readonly #parked = new Set<ParkedFetch>();
  committedImage: ClusterImage = emptyImage;

  constructor(options: SteadyControllerOptions) {
    const { queue, network, random, settings } = options;
    this.#options = options;
    this.process = new SimulatedProcess(FIRST_CONTROLLER, queue);
    this.process.start();
    network.join(this.process);
    this.#controller = new MetadataController(emptyImage, 1);
    this.activeService = new ControllerService({
      process: this.process,
      settings,
      random,
      written: () => this.#controller.written,
      change: (decide, done) => {
        if (this.#controller.change(decide, done) !== null) this.#commitSoon();
      },
    });
    this.activeService.bootstrap();
  }

  call<Answer>({ serve, ...call }: ControllerCall<Answer>): void {
    this.#options.network.call<Answer>({
      ...call,
      to: FIRST_CONTROLLER,
      timeoutMs: this.#options.settings.requestTimeoutMs,
      serve: (respond) => serve(this.activeService, respond),
    });
  }

  watch(process: SimulatedProcess, arrived: (image: ClusterImage) => void): void {
    this.#fetch(process, -1, arrived);
  }

  /** Brokers keep nothing of it here. */
  diskLost(): void {}

  #fetch(process: SimulatedProcess, known: number, arrived: (image: ClusterImage) => void): void {
    this.#options.network.call<ClusterImage>({
      label: 'metadata fetch',
      from: process.node,
      to: FIRST_CONTROLLER,
      timeoutMs: METADATA_WAIT_MS + this.#options.settings.requestTimeoutMs,
      serve: (respond) => this.#serveFetch(process, known, respond),
      answered: (image) => {
        if (image.lastOffset > known) arrived(image);
        this.#fetch(process, Math.max(known, image.lastOffset), arrived);
      },
      failed: () => {
        const again = (): void => this.#fetch(process, known, arrived);
        process.schedule(this.#options.settings.fetchBackoffMs, 'metadata fetch again', again);
      },
    });
  }

  #serveFetch(process: SimulatedProcess, known: number, respond: (image: ClusterImage) => void): void {
    if (this.committedImage.lastOffset > known) {
      respond(this.committedImage);
      return;
    }
    const parked: ParkedFetch = { process, respond };
    this.#parked.add(parked);
    this.process.schedule(METADATA_WAIT_MS, 'metadata fetch ends', () => {
      if (this.#parked.delete(parked)) respond(this.committedImage);
    });
  }

  #commitSoon(): void {
    const { random, settings } = this.#options;
    this.#uncommitted.push(this.#controller.written);
    this.process.schedule(random.fraction() * settings.writeMs, 'metadata committed', () => {
      const image = this.#uncommitted.shift();
      if (image === undefined) return;
      this.committedImage = image;
      this.#options.committed(image);
      this.#controller.committed(image.lastOffset);
      for (const { respond } of [...this.#parked]) respond(image);
      this.#parked.clear();
    });
  }
}
