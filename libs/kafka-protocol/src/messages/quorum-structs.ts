/**
 * What the messages of the metadata quorum (52, 53, 54, 59) have in common. Declared once; each message says where it
 * stands.
 */
import { array, int16, int32, string, uint16 } from '../schema/field.ts';

/** Where the voters that an answer names are reached. */
export const nodeEndpoints = array(
  '1+',
  { nodeId: int32('1+'), host: string('1+'), port: uint16('1+') },
  { tag: 0 },
);

/** Where the leader that sends a request is reached. */
export const leaderEndpoints = array(
  '1+',
  { name: string('1+'), host: string('1+'), port: uint16('1+') },
  { ignorable: true },
);

/** Who leads in which epoch, as the one that answers knows. */
export const leadership = { leaderId: int32('0+'), leaderEpoch: int32('0+') } as const;

/** The answer to a change of leadership that was announced. */
export const quorumEpochResponse = {
  errorCode: int16('0+'),
  topics: array('0+', {
    topicName: string('0+'),
    partitions: array('0+', { partitionIndex: int32('0+'), errorCode: int16('0+'), ...leadership }),
  }),
  nodeEndpoints,
} as const;
