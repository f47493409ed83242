/**
 * What a client may do, as a bit field over Kafka's codes of operations. There is no authorizer: everyone may do
 * everything that can be done to the kind of thing. Told only to those who ask.
 */
const Operation = {
  READ: 3,
  WRITE: 4,
  CREATE: 5,
  DELETE: 6,
  ALTER: 7,
  DESCRIBE: 8,
  CLUSTER_ACTION: 9,
  DESCRIBE_CONFIGS: 10,
  ALTER_CONFIGS: 11,
  IDEMPOTENT_WRITE: 12,
} as const;

/** In place of a bit field, for those who did not ask. */
export const OPERATIONS_NOT_ASKED = -2147483648;

const { READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, CLUSTER_ACTION } = Operation;
const { DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE } = Operation;

export const topicOperations = bits(
  READ,
  WRITE,
  CREATE,
  DELETE,
  ALTER,
  DESCRIBE,
  DESCRIBE_CONFIGS,
  ALTER_CONFIGS,
);

export const clusterOperations = bits(
  CREATE,
  ALTER,
  DESCRIBE,
  CLUSTER_ACTION,
  DESCRIBE_CONFIGS,
  ALTER_CONFIGS,
  IDEMPOTENT_WRITE,
);

function bits(...operations: readonly number[]): number {
  return operations.reduce((field, operation) => field | (1 << operation), 0);
}
