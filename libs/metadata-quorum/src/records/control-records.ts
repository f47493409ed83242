/**
 * Control records of the metadata log and of its snapshots: not part of the metadata, but of how it is kept.
 */
import { ByteReader, ControlType, defineRecord, field, leaderChangeMessage } from '@seatlog/kafka-protocol';
import { MetadataError } from '../metadata-error.ts';

const { array, int16, int32, int64, string, struct, uint16, uuid } = field;

/** Who leads from here on. The first record of each epoch. */
export interface LeaderChange {
  readonly type: 'LeaderChange';
  readonly leaderId: number;
  readonly voters: readonly number[];
  readonly grantingVoters: readonly number[];
}

/** The first record of a snapshot. */
export interface SnapshotHeader {
  readonly type: 'SnapshotHeader';
  /** When the last record in the snapshot was appended to the log. */
  readonly lastContainedLogTimestamp: number;
}

/** The last record of a snapshot: without it the file is not whole. */
export interface SnapshotFooter {
  readonly type: 'SnapshotFooter';
}

/** The level of the quorum's own protocol; 0: the voters stand in the configuration. */
export interface KraftVersion {
  readonly type: 'KraftVersion';
  readonly kraftVersion: number;
}

/** Who votes, where the voters do not stand in the configuration. */
export interface KraftVoters {
  readonly type: 'KraftVoters';
  readonly voters: readonly {
    readonly voterId: number;
    readonly voterDirectoryId: string;
    readonly endpoints: readonly { readonly name: string; readonly host: string; readonly port: number }[];
    readonly kRaftVersionFeature: {
      readonly minSupportedVersion: number;
      readonly maxSupportedVersion: number;
    };
  }[];
}

export type QuorumControlRecord = LeaderChange | SnapshotHeader | SnapshotFooter | KraftVersion | KraftVoters;

const controlTypes: Readonly<Record<QuorumControlRecord['type'], number>> = {
  LeaderChange: ControlType.leaderChange,
  SnapshotHeader: ControlType.snapshotHeader,
  SnapshotFooter: ControlType.snapshotFooter,
  KraftVersion: ControlType.quorumVersion,
  KraftVoters: ControlType.voters,
};

const snapshotHeaderRecord = defineRecord({
  name: 'SnapshotHeaderRecord',
  versions: '0',
  flexible: '0+',
  fields: { version: int16('0+'), lastContainedLogTimestamp: int64('0+') },
});

const snapshotFooterRecord = defineRecord({
  name: 'SnapshotFooterRecord',
  versions: '0',
  flexible: '0+',
  fields: { version: int16('0+') },
});

const kraftVersionRecord = defineRecord({
  name: 'KRaftVersionRecord',
  versions: '0',
  flexible: '0+',
  fields: { version: int16('0+'), kRaftVersion: int16('0+') },
});

const votersRecord = defineRecord({
  name: 'VotersRecord',
  versions: '0',
  flexible: '0+',
  fields: {
    version: int16('0+'),
    voters: array('0+', {
      voterId: int32('0+'),
      voterDirectoryId: uuid('0+'),
      endpoints: array('0+', { name: string('0+'), host: string('0+'), port: uint16('0+') }),
      kRaftVersionFeature: struct('0+', {
        minSupportedVersion: int16('0+'),
        maxSupportedVersion: int16('0+'),
      }),
    }),
  },
});

/** Kafka's number of the control record's type, and its value. */
export function encodeControlRecord(record: QuorumControlRecord): {
  readonly type: number;
  readonly value: Uint8Array;
} {
  return { type: controlTypes[record.type], value: valueOf(record) };
}

function valueOf(record: QuorumControlRecord): Uint8Array {
  switch (record.type) {
    case 'LeaderChange':
      return leaderChangeMessage.encode(
        {
          version: 0,
          leaderId: record.leaderId,
          voters: record.voters.map((voterId) => ({ voterId })),
          grantingVoters: record.grantingVoters.map((voterId) => ({ voterId })),
        },
        0,
      );
    case 'SnapshotHeader':
      return snapshotHeaderRecord.encode(
        { version: 0, lastContainedLogTimestamp: record.lastContainedLogTimestamp },
        0,
      );
    case 'SnapshotFooter':
      return snapshotFooterRecord.encode({ version: 0 }, 0);
    case 'KraftVersion':
      return kraftVersionRecord.encode({ version: 0, kRaftVersion: record.kraftVersion }, 0);
    default:
      return votersRecord.encode({ version: 0, voters: record.voters }, 0);
  }
}

export function decodeControlRecord(type: number, value: Uint8Array): QuorumControlRecord {
  switch (type) {
    case controlTypes.LeaderChange: {
      // The message says its version in its first field, which is at the same place in all of them.
      const message = leaderChangeMessage.decode(value, new ByteReader(value).int16());
      return {
        type: 'LeaderChange',
        leaderId: message.leaderId,
        voters: message.voters.map(({ voterId }) => voterId),
        grantingVoters: message.grantingVoters.map(({ voterId }) => voterId),
      };
    }
    case controlTypes.SnapshotHeader: {
      const { lastContainedLogTimestamp } = snapshotHeaderRecord.decode(value, 0);
      return { type: 'SnapshotHeader', lastContainedLogTimestamp };
    }
    case controlTypes.SnapshotFooter:
      return { type: 'SnapshotFooter' };
    case controlTypes.KraftVersion:
      return { type: 'KraftVersion', kraftVersion: kraftVersionRecord.decode(value, 0).kRaftVersion };
    case controlTypes.KraftVoters:
      return { type: 'KraftVoters', voters: votersRecord.decode(value, 0).voters };
    default:
      throw new MetadataError('UNKNOWN_RECORD', `the metadata log holds a control record of type ${type}`);
  }
}
