/**
 * What the log of one partition of `__consumer_offsets` says: a fold over its records, oldest first. The last record
 * of a key holds; one without value takes the key back.
 */
import { ProtocolError } from '@seatlog/kafka-protocol';
import { OffsetStore } from '../offsets/offset-store.ts';
import {
  decodeGroupSnapshot,
  GROUP_METADATA_KEY_TYPE,
  groupMetadataKey,
} from '../records/group-metadata-record.ts';
import {
  decodeCommittedOffset,
  LEGACY_OFFSET_COMMIT_KEY_TYPE,
  OFFSET_COMMIT_KEY_TYPE,
  offsetCommitKey,
} from '../records/offset-commit-record.ts';
import { splitPrefix } from '../records/offsets-record.ts';
import type { GroupSnapshot } from './group-snapshot.ts';

const KEY_VERSION = 0;

/** Figures for the line that is logged when a partition is loaded. */
export interface LoadSummary {
  readonly records: number;
  /** Records of committed offsets, and how many different offsets (group, topic, partition) they were for. */
  readonly commits: number;
  readonly uniqueKeys: number;
  readonly groups: number;
  readonly offsets: number;
  /** Records of kinds that this coordinator has no use for, as those of other group protocols. */
  readonly skipped: number;
  /** Records that could not be read; `firstProblem` says why for the first of them. */
  readonly unreadable: number;
  readonly firstProblem: string | null;
}

export class ShardContents {
  readonly groups = new Map<string, GroupSnapshot>();
  readonly offsets = new OffsetStore();
  readonly #keys = new Set<string>();
  #records = 0;
  #commits = 0;
  #skipped = 0;
  #unreadable = 0;
  #firstProblem: string | null = null;

  /** Takes the next record in. Bytes are read, not kept. One that cannot be read is counted and passed over. */
  fold(key: Uint8Array | null, value: Uint8Array | null): void {
    this.#records += 1;
    try {
      if (key === null) this.#skipped += 1;
      else this.#foldKey(key, value);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#unreadable += 1;
      this.#firstProblem ??= error.message;
    }
  }

  summary(): LoadSummary {
    let offsets = 0;
    for (const groupId of this.offsets.groupIds()) offsets += [...this.offsets.of(groupId)].length;
    return {
      records: this.#records,
      commits: this.#commits,
      uniqueKeys: this.#keys.size,
      groups: this.groups.size,
      offsets,
      skipped: this.#skipped,
      unreadable: this.#unreadable,
      firstProblem: this.#firstProblem,
    };
  }

  #foldKey(bytes: Uint8Array, value: Uint8Array | null): void {
    const { prefix: type, body } = splitPrefix(bytes);
    switch (type) {
      case LEGACY_OFFSET_COMMIT_KEY_TYPE:
      case OFFSET_COMMIT_KEY_TYPE:
        this.#foldOffset(body, value);
        return;
      case GROUP_METADATA_KEY_TYPE:
        this.#foldGroup(body, value);
        return;
      default:
        this.#skipped += 1;
    }
  }

  #foldOffset(body: Uint8Array, value: Uint8Array | null): void {
    const { group, topic, partition } = offsetCommitKey.decode(body, KEY_VERSION);
    if (value === null) {
      this.offsets.remove(group, topic, partition);
      return;
    }
    const { prefix: version, body: content } = splitPrefix(value);
    this.offsets.put(group, topic, partition, decodeCommittedOffset(content, version));
    this.#commits += 1;
    this.#keys.add(`${group.length}:${group}:${topic}/${partition}`);
  }

  #foldGroup(body: Uint8Array, value: Uint8Array | null): void {
    const { group } = groupMetadataKey.decode(body, KEY_VERSION);
    if (value === null) {
      this.groups.delete(group);
      return;
    }
    const { prefix: version, body: content } = splitPrefix(value);
    this.groups.set(group, decodeGroupSnapshot(content, version));
  }
}
