/**
 * FindCoordinator: the leader of the group's partition of `__consumer_offsets`, which the first request of all creates.
 * Version 4 and later ask for several groups at once. Coordinators of transactions are not served: the answer is an error
 * that clients take for final and tell, where COORDINATOR_NOT_AVAILABLE would have them ask for ever. That is
 * INVALID_REQUEST; but librdkafka, which asks in versions below 4, gives up on TRANSACTIONAL_ID_AUTHORIZATION_FAILED only.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import type { Coordinator } from '../groups/group-service.ts';
import { noCoordinator } from '../groups/offsets-topic.ts';
import type { BrokerServices } from '../services.ts';
import { defineHandler, type RequestContext } from './handler.ts';

const SEVERAL_KEYS_FROM = 4;
const GROUP_KEY = 0;

export const findCoordinator = defineHandler(
  apis.findCoordinator,
  (services) => (request, context, respond) => {
    const { keyType } = request;
    if (context.apiVersion < SEVERAL_KEYS_FROM) {
      find(services, context, keyType, [request.key], ([coordinator]) => respond({ ...coordinator }));
      return;
    }
    find(services, context, keyType, request.coordinatorKeys, (coordinators) =>
      respond({
        coordinators: coordinators.map((coordinator, place) => ({
          key: request.coordinatorKeys[place] ?? '',
          ...coordinator,
        })),
      }),
    );
  },
);

/** Calls back with a coordinator for each key, in the order of the keys. */
function find(
  { groups }: BrokerServices,
  { apiVersion, listenerName }: RequestContext,
  keyType: number,
  keys: readonly string[],
  done: (coordinators: readonly Coordinator[]) => void,
): void {
  const refusal =
    apiVersion < SEVERAL_KEYS_FROM
      ? ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
      : ErrorCode.INVALID_REQUEST;
  const found: Coordinator[] = [];
  let missing = keys.length;
  if (missing === 0) done(found);
  keys.forEach((key, place) => {
    const take = (coordinator: Coordinator): void => {
      found[place] = coordinator;
      missing -= 1;
      if (missing === 0) done(found);
    };
    if (keyType === GROUP_KEY) groups.findCoordinator(key, listenerName, take);
    else take(noCoordinator('Only groups are coordinated here: there are no transactions.', refusal));
  });
}
