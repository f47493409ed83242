/** Finds the broker that coordinates a group, and keeps it until somebody says that it is not the one. */
import { apis, errorByCode, ErrorCode } from '@seatlog/kafka-protocol';
import { brokerError } from '../broker-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { KafkaClientError } from '../errors.ts';
import type { BrokerConnection } from '../network/broker-connection.ts';

/** From this version on FindCoordinator asks for several keys at once. */
const SEVERAL_KEYS_FROM = 4;

export class Coordinator {
  readonly #cluster: Cluster;
  readonly #groupId: string;
  #brokerId: number | null = null;
  #finding: Promise<number> | null = null;

  constructor(cluster: Cluster, groupId: string) {
    this.#cluster = cluster;
    this.#groupId = groupId;
  }

  get brokerId(): number | null {
    return this.#brokerId;
  }

  /** It is not the coordinator, or cannot be reached: look for it anew next time. */
  forget(): void {
    this.#brokerId = null;
  }

  /** A connection to the coordinator over the lane of this purpose. One attempt. */
  async connection(purpose: string): Promise<BrokerConnection> {
    const brokerId = await this.find();
    try {
      return await this.#cluster.lane(purpose, brokerId).open();
    } catch (error) {
      if (this.#brokerId === brokerId) this.forget();
      throw error;
    }
  }

  find(): Promise<number> {
    if (this.#brokerId !== null) return Promise.resolve(this.#brokerId);
    this.#finding ??= this.#find().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #find(): Promise<number> {
    const connection = await this.#cluster.anyConnection();
    const response = await connection.request(apis.findCoordinator, (version) =>
      version >= SEVERAL_KEYS_FROM
        ? { keyType: 0, coordinatorKeys: [this.#groupId] }
        : { key: this.#groupId, ...(version >= 1 ? { keyType: 0 } : {}) },
    );
    const found = response.coordinators[0] ?? response;
    if (found.errorCode !== ErrorCode.NONE) {
      throw brokerError(found.errorCode, {
        what: `no coordinator of group ${this.#groupId}`,
        message: found.errorMessage,
      });
    }
    const { nodeId, host, port } = found;
    this.#cluster.metadata.learnBroker({ id: nodeId, host, port, rack: null });
    this.#brokerId = nodeId;
    return nodeId;
  }
}

/** Whether an error code of a group request says that the coordinator is elsewhere. */
export function coordinatorMoved(errorCode: number): boolean {
  return errorCode === ErrorCode.NOT_COORDINATOR || errorCode === ErrorCode.COORDINATOR_NOT_AVAILABLE;
}

/** Whether the same group request may be sent again after a pause. */
export function worthRepeating(errorCode: number): boolean {
  return coordinatorMoved(errorCode) || errorByCode(errorCode).retriable;
}

export function asKafkaClientError(cause: unknown): KafkaClientError {
  if (cause instanceof KafkaClientError) return cause;
  return new KafkaClientError('MALFORMED_RESPONSE', cause instanceof Error ? cause.message : String(cause), {
    retriable: false,
    hint: 'look at the cause',
    cause,
  });
}
