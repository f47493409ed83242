/**
 * OffsetForLeaderEpoch: where the greatest epoch up to the one asked for ends. A reader whose own log goes on beyond
 * that offset has records that this log does not, and goes back. Unknown epochs: -1, -1, no error.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

const UNKNOWN = { leaderEpoch: -1, endOffset: -1 };

export const offsetForLeaderEpoch = defineHandler(
  apis.offsetForLeaderEpoch,
  (services) => (request, _context, respond) => {
    respond({
      topics: request.topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition: index, currentLeaderEpoch, leaderEpoch }) => {
          const { partition, errorCode } = services.replicas.led(topic, index, currentLeaderEpoch);
          if (partition === undefined || errorCode !== ErrorCode.NONE) {
            return { partition: index, errorCode, ...UNKNOWN };
          }
          const { epoch, endOffset } = partition.log.endOffsetForEpoch(leaderEpoch);
          return { partition: index, errorCode, leaderEpoch: epoch, endOffset };
        }),
      })),
    });
  },
);
