/** Voters and observers on one virtual clock and one bad network, each step under the eyes of a witness. */
import { ManualClock, SeededRandom } from '@seatlog/runtime/testing';
import type { Respond, SendRequest } from '../quorum-effects.ts';
import type { QuorumEvent, QuorumRequestEvent } from '../quorum-events.ts';
import { DEFAULT_QUORUM_LIMITS, DEFAULT_QUORUM_TIMING } from '../quorum-settings.ts';
import type { ContentBatch } from './memory-quorum-log.ts';
import { type NetworkFaults, QuorumNetwork } from './quorum-network.ts';
import { QuorumWitness } from './quorum-witness.ts';
import { CLUSTER_ID } from './replica-bench.ts';
import { SimulatedNode } from './simulated-node.ts';
import { receivedRequest, receivedResponse } from './wire-forms.ts';

export interface SimulatedQuorumOptions {
  readonly seed: number;
  readonly voters: readonly number[];
  readonly observers: readonly number[];
  readonly faults: NetworkFaults;
}

interface Asked {
  readonly from: SimulatedNode;
  readonly fromRun: number;
  readonly to: SimulatedNode;
  readonly toRun: number;
  readonly requestId: number;
}

export class SimulatedQuorum {
  readonly clock = new ManualClock();
  readonly network: QuorumNetwork;
  readonly witness: QuorumWitness;
  readonly nodes: readonly SimulatedNode[];
  readonly random: SeededRandom;
  readonly #asked = new Map<number, Asked>();
  #token = 0;
  #contents = 0;

  constructor({ seed, voters, observers, faults }: SimulatedQuorumOptions) {
    this.random = new SeededRandom(seed);
    this.network = new QuorumNetwork(this.clock, this.random, faults);
    this.nodes = [...voters, ...observers].map((nodeId) => {
      const settings = {
        nodeId,
        directoryId: `${String(nodeId).padStart(21, '0')}A`,
        clusterId: CLUSTER_ID,
        voters: voters.map((id) => ({ id, host: `controller-${id}`, port: 9093 })),
        listenerName: 'CONTROLLER',
        timing: DEFAULT_QUORUM_TIMING,
        limits: { ...DEFAULT_QUORUM_LIMITS, fetchMaxBytes: 400, snapshotChunkBytes: 25 },
      };
      return new SimulatedNode(this, settings, this.random);
    });
    this.witness = new QuorumWitness(this.nodes);
  }

  node(id: number): SimulatedNode {
    const node = this.nodes.find((candidate) => candidate.id === id);
    if (node === undefined) throw new Error(`there is no node ${id}`);
    return node;
  }

  get leader(): SimulatedNode | null {
    const leaders = this.nodes.filter(({ replica }) => replica?.isLeader === true);
    const epoch = (node: SimulatedNode) => node.replica?.leaderAndEpoch.epoch ?? -1;
    return leaders.sort((one, other) => epoch(other) - epoch(one))[0] ?? null;
  }

  startAll(): void {
    for (const node of this.nodes) node.start();
  }

  /** Whoever leads writes a batch: with two leaders in two epochs, both do. */
  append(records: number): void {
    for (const node of this.nodes) {
      this.#contents += 1;
      node.append(`change ${this.#contents}`, records);
    }
  }

  pass(ms: number): void {
    this.clock.advance(ms);
  }

  /** Passes time until it holds; gives whether it did within the time. */
  until(holds: () => boolean, atMostMs: number): boolean {
    for (let passed = 0; passed < atMostMs; passed += 10) {
      if (holds()) return true;
      this.clock.advance(10);
    }
    return holds();
  }

  request(from: SimulatedNode, send: SendRequest): void {
    const to = this.node(send.to);
    const fromRun = from.run;
    this.network.carry(from.id, to.id, () => {
      if (!to.isUp) return;
      this.#token += 1;
      const token = this.#token;
      this.#asked.set(token, { from, fromRun, to, toRun: to.run, requestId: send.requestId });
      const event: QuorumRequestEvent = { type: 'request', token, ...receivedRequest(send) };
      to.give(event);
    });
  }

  respond(by: SimulatedNode, respond: Respond): void {
    const asked = this.#asked.get(respond.token);
    if (asked === undefined) throw new Error(`${by.id} answers ${respond.token}, which nobody asked`);
    this.#asked.delete(respond.token);
    if (asked.to !== by || asked.toRun !== by.run) throw new Error(`${by.id} answers for another run`);
    const { from, requestId } = asked;
    const batches: readonly ContentBatch[] =
      respond.read?.from === 'log'
        ? by.log.read(respond.read.fromOffset, respond.read.toOffset, respond.read.maxBytes)
        : [];
    const response = receivedResponse(respond, by.log.latestSnapshot?.sizeInBytes ?? 0);
    const event: QuorumEvent<ContentBatch> = { type: 'response', requestId, batches, ...response };
    // An answer may well come to a later run of the process: the ids tell.
    this.network.carry(by.id, from.id, () => from.give(event));
  }
}
