/**
 * ConsumerGroupHeartbeat 0-1: refused with UNSUPPORTED_VERSION, as Kafka does where the protocol of group.protocol=consumer
 * is switched off. Clients tell their users so and stop; where the API is not there at all, librdkafka asks for a
 * coordinator for ever and says nothing.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

export const consumerGroupHeartbeat = defineHandler(
  apis.consumerGroupHeartbeat,
  () => (_request, _context, respond) => {
    respond({
      throttleTimeMs: 0,
      errorCode: ErrorCode.UNSUPPORTED_VERSION,
      errorMessage: 'Groups share their partitions out themselves here: set group.protocol=classic.',
      memberEpoch: 0,
      heartbeatIntervalMs: 0,
    });
  },
);
