/**
 * Producer ids are given to brokers in blocks. A block's record is committed before any of its ids is used, so an id
 * is given out once in the life of the cluster; what a broker did not use of its block when it stopped is lost.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '../image/cluster-image.ts';
import type { BrokerAnswer } from './broker-lifecycle.ts';
import { withBroker } from './broker-lifecycle.ts';
import type { Decision } from './decision.ts';

export const PRODUCER_ID_BLOCK_SIZE = 1000;

export interface ProducerIdBlock extends BrokerAnswer {
  /** -1 on an error. */
  readonly firstProducerId: number;
  readonly size: number;
}

export function allocateProducerIds(
  image: ClusterImage,
  brokerId: number,
  brokerEpoch: number,
): Decision<ProducerIdBlock> {
  const firstProducerId = image.nextProducerId;
  const nextProducerId = firstProducerId + PRODUCER_ID_BLOCK_SIZE;
  if (!Number.isSafeInteger(nextProducerId)) {
    const answer = {
      errorCode: ErrorCode.UNKNOWN_SERVER_ERROR,
      errorMessage: 'All producer ids have been given away.',
      brokerEpoch: -1,
      firstProducerId: -1,
      size: 0,
    };
    return { records: [], answer };
  }
  const { records, answer } = withBroker(image, brokerId, brokerEpoch, () => [
    { type: 'ProducerIdsRecord', brokerId, brokerEpoch, nextProducerId },
  ]);
  const given = answer.errorCode === ErrorCode.NONE;
  return {
    records,
    answer: {
      ...answer,
      firstProducerId: given ? firstProducerId : -1,
      size: given ? PRODUCER_ID_BLOCK_SIZE : 0,
    },
  };
}
