/**
 * Brings a planned fault about and takes it back: when the promise resolves every node runs and every way is whole, though
 * nobody may have caught up yet.
 */
import { type ClusterNode, nodeEndpoint } from '@seatlog/local-stack';
import { pause } from '@seatlog/lab';
import type { DrillCluster } from './drill-cluster.ts';
import type { DeathKind } from './failover-watch.ts';
import type { PlannedFault } from './fault-plan.ts';

export interface FaultTale {
  readonly say: (line: string) => void;
  /** Something is not as it must be, whatever the history says. */
  readonly complain: (sentence: string) => void;
  /** A node that leads these partitions was killed. */
  readonly leaderDies: (partitions: readonly number[], kind: DeathKind) => void;
  /** A node is about to be started again after its death. */
  readonly whileDead?: ((node: ClusterNode) => void) | undefined;
}

const PRODUCE = 0;
/** Fetch, Vote, BeginQuorumEpoch, AlterPartition, BrokerRegistration, BrokerHeartbeat. */
const BETWEEN_NODES = [1, 52, 53, 56, 62, 63] as const;
/** A dead node stays away for up to so many sessions: some kills are over before anybody has noticed. */
const MOST_SESSIONS_AWAY = 2;
/** Of a node that is alone: nobody is there to notice. */
const MOST_AWAY_ALONE_MS = 300;
const LOST_ANSWERS = 5;
const SLOW_MS = 150;

export class FaultInjection {
  readonly #cluster: DrillCluster;
  readonly #sessionMs: number;
  readonly #producers: readonly string[];
  readonly #tale: FaultTale;

  /** `producers`: their client ids. */
  constructor(cluster: DrillCluster, sessionMs: number, producers: readonly string[], tale: FaultTale) {
    this.#cluster = cluster;
    this.#sessionMs = sessionMs;
    this.#producers = producers;
    this.#tale = tale;
  }

  async bringAbout(fault: PlannedFault): Promise<void> {
    const cluster = this.#cluster;
    const isAlone = cluster.nodes.length === 1;
    const awayMs = fault.length * (isAlone ? MOST_AWAY_ALONE_MS : MOST_SESSIONS_AWAY * this.#sessionMs);
    /** Long enough that it is noticed. */
    const heldMs = this.#sessionMs * (1.2 + fault.length);
    switch (fault.kind) {
      case 'kill-leader':
        return this.#killOne(await cluster.leaderOf(fault.target), awayMs);
      case 'kill-controller':
        return this.#killOne(await cluster.controller(), awayMs);
      case 'kill-one-after-another':
        return this.#killOneAfterAnother(fault, awayMs);
      case 'kill-two':
        return this.#killTwo(fault, awayMs);
      case 'pause-leader':
        return this.#holdStill(await cluster.leaderOf(fault.target), heldMs);
      case 'pause-controller':
        return this.#holdStill(await cluster.controller(), heldMs);
      case 'cut-off':
        return this.#cut(cluster.drawn(fault.target), 'both', heldMs);
      case 'cut-outgoing':
        return this.#cut(cluster.drawn(fault.target), 'outgoing', heldMs);
      case 'cut-incoming':
        return this.#cut(cluster.drawn(fault.target), 'incoming', heldMs);
      case 'rolling-restart':
        return this.#restartEach();
      case 'lost-answers':
        return this.#loseAnswers(await cluster.leaderOf(fault.target));
      case 'lost-node-answers':
        return this.#loseNodeAnswers(heldMs);
      case 'slow-node':
        return this.#slow(cluster.drawn(fault.target), heldMs);
    }
  }

  async #killOne(node: ClusterNode, awayMs: number, isAlone = true): Promise<void> {
    await this.#kill(node, isAlone);
    await pause(awayMs);
    await this.#startAgain(node);
  }

  /** The second dies as soon as the first serves again, which may not be in sync by then. */
  async #killOneAfterAnother(fault: PlannedFault, awayMs: number): Promise<void> {
    const first = await this.#cluster.leaderOf(fault.target);
    await this.#killOne(first, awayMs, false);
    const others = this.#cluster.others(first);
    const second = others[fault.target % Math.max(1, others.length)] ?? first;
    await this.#killOne(second, awayMs, false);
  }

  /** The second dies while the first is away: no majority is left, of voters or of replicas. */
  async #killTwo(fault: PlannedFault, awayMs: number): Promise<void> {
    const first = this.#cluster.drawn(fault.target);
    const second = this.#cluster.others(first)[fault.target % 2] ?? first;
    await this.#kill(first, false);
    await pause(awayMs / 2);
    if (second !== first) await this.#kill(second, false);
    await pause(awayMs / 2);
    await Promise.all([...new Set([first, second])].map((node) => this.#startAgain(node)));
  }

  /** `isAlone`: no other node is killed before all are in sync again. */
  async #kill(node: ClusterNode, isAlone: boolean): Promise<void> {
    const led = await this.#cluster.ledBy(node);
    const kind = !isAlone ? 'others' : (await this.#cluster.isController(node)) ? 'controller' : 'leader';
    this.#cluster.awayNow(node);
    this.#tale.say(
      `SIGKILL ${node.name}, which leads ${led.length === 0 ? 'nothing' : `partitions ${led.join(', ')}`}`,
    );
    node.process.kill('SIGKILL');
    this.#tale.leaderDies(led, kind);
    await node.process.exited;
  }

  async #startAgain(node: ClusterNode): Promise<void> {
    this.#tale.whileDead?.(node);
    await node.process.restart();
    this.#cluster.backAgain(node);
    this.#tale.say(`${node.name} serves again`);
  }

  async #holdStill(node: ClusterNode, ms: number): Promise<void> {
    this.#cluster.awayNow(node);
    this.#tale.say(`SIGSTOP ${node.name} for ${Math.round(ms)} ms`);
    node.process.kill('SIGSTOP');
    await pause(ms);
    node.process.kill('SIGCONT');
    this.#cluster.backAgain(node);
  }

  async #cut(node: ClusterNode, ways: 'both' | 'outgoing' | 'incoming', ms: number): Promise<void> {
    const { faults } = this.#cluster.cluster;
    const all = this.#cluster.nodes.map(({ nodeId }) => nodeEndpoint(nodeId));
    this.#tale.say(`cut ${node.name} from the other nodes (${ways}) for ${Math.round(ms)} ms`);
    faults.isolate(nodeEndpoint(node.nodeId), all, ways);
    await pause(ms);
    faults.heal();
  }

  async #slow(node: ClusterNode, ms: number): Promise<void> {
    const { faults } = this.#cluster.cluster;
    this.#tale.say(`what ${node.name} sends to the others is ${SLOW_MS} ms late for ${Math.round(ms)} ms`);
    for (const other of this.#cluster.others(node)) {
      faults.delay(nodeEndpoint(node.nodeId), nodeEndpoint(other.nodeId), SLOW_MS);
    }
    await pause(ms);
    faults.heal();
  }

  async #loseAnswers(leader: ClusterNode): Promise<void> {
    const { faults } = this.#cluster.cluster;
    this.#tale.say(`lose ${LOST_ANSWERS} answers of ${leader.name} to each producer`);
    const from = nodeEndpoint(leader.nodeId);
    const losing = this.#producers.flatMap((to) =>
      Array.from({ length: LOST_ANSWERS }, () => faults.loseAnswer({ from, to, apiKey: PRODUCE })),
    );
    // A leader that leads no longer answers nothing more.
    await Promise.race([Promise.all(losing), pause(this.#sessionMs)]);
    faults.heal();
  }

  async #loseNodeAnswers(ms: number): Promise<void> {
    const { faults } = this.#cluster.cluster;
    this.#tale.say(
      `lose answers between nodes (fetch, vote, ISR changes, heartbeats) for ${Math.round(ms)} ms`,
    );
    for (const node of this.#cluster.nodes) {
      for (const other of this.#cluster.others(node)) {
        const way = { from: nodeEndpoint(node.nodeId), to: nodeEndpoint(other.nodeId) };
        for (const apiKey of BETWEEN_NODES) {
          for (let lost = 0; lost < LOST_ANSWERS; lost += 1) void faults.loseAnswer({ ...way, apiKey });
        }
      }
    }
    await pause(ms);
    faults.heal();
  }

  async #restartEach(): Promise<void> {
    for (const node of this.#cluster.nodes) {
      this.#cluster.awayNow(node);
      this.#tale.say(`SIGTERM ${node.name}`);
      const { code, signal } = await node.process.stop();
      if (code !== 0)
        this.#tale.complain(`asked to stop, ${node.name} ended with ${signal ?? `code ${code}`}`);
      await this.#startAgain(node);
      await this.#cluster.untilWhole();
    }
  }
}
