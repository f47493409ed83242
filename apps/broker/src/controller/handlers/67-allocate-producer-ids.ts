/** AllocateProducerIds 0: a block of producer ids for one broker, never given to another. */
import { apis } from '@seatlog/kafka-protocol';
import { allocateProducerIds as decideBlock } from '@seatlog/metadata-quorum';
import { defineControllerHandler } from '../../handlers/handler.ts';

export const allocateProducerIds = defineControllerHandler(
  apis.allocateProducerIds,
  ({ metadata }) =>
    ({ brokerId, brokerEpoch }, _context, respond) => {
      metadata.change(
        (image) => decideBlock(image, brokerId, brokerEpoch),
        (outcome) => {
          const { errorCode, firstProducerId, size } =
            outcome.kind === 'committed' ? outcome.answer : { ...outcome, firstProducerId: -1, size: 0 };
          respond({ throttleTimeMs: 0, errorCode, producerIdStart: firstProducerId, producerIdLen: size });
        },
      );
    },
);
