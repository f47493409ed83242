/**
 * InitProducerId 0-4: an id of its own, epoch 0, for each idempotent producer that asks.
 *
 * A transactional id is refused with INVALID_REQUEST: transactions are not supported, and a code that clients try
 * again on would let them wait for good.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { ProducerIdSource } from '../metadata/producer-id-source.ts';
import { defineHandler } from './handler.ts';

const NONE = -1;

export const initProducerId = defineHandler(apis.initProducerId, (services) => {
  const ids = new ProducerIdSource(services.metadata, services.controllerChannel);
  return (request, _context, respond) => {
    // An id without its epoch, or the other way round, is no producer's.
    const halfNamed = (request.producerId === NONE) !== (request.producerEpoch === NONE);
    if (request.transactionalId !== null || halfNamed) {
      respond({ errorCode: ErrorCode.INVALID_REQUEST, producerId: NONE, producerEpoch: NONE });
      return;
    }
    ids.take((errorCode, producerId) =>
      respond({ errorCode, producerId, producerEpoch: errorCode === ErrorCode.NONE ? 0 : NONE }),
    );
  };
});
