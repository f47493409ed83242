// Rules of disks that fail, and of clusters and metadata in other shapes, each undone.
import type { Mutant } from './mutant.ts';

const REPORTS = 'libs/replication/src/replica-reports.ts';
const DIRECTORIES = 'libs/metadata-quorum/src/controller/assign-directories.ts';
const LEADERSHIP = 'libs/metadata-quorum/src/controller/partition-leadership.ts';
const POSITION = 'libs/metadata-quorum/src/raft/log-position.ts';

export const diskMutants: readonly Mutant[] = [
  {
    id: 'failed-logs-stay',
    rule: 'F8: a replica whose log takes no more leaves ISR and leadership',
    file: REPORTS,
    find: 'if (isFailing && isInSync && !isMarkedLost) return',
    replace: 'if (isFailing && isInSync && isMarkedLost) return',
    scenario: 'failed-sync',
  },
  {
    id: 'full-disks-stay-full',
    rule: 'F7: whether a full disk has room again is found out',
    file: REPORTS,
    find: 'return isFailing && !isFenced && (isMarkedLost || !isInSync);',
    replace: 'return isFailing && isFenced && !isFenced && (isMarkedLost || !isInSync);',
    scenario: 'full-disks',
  },
  {
    id: 'found-without-an-election',
    rule: 'F7: a partition without a leader elects a replica that is found',
    file: DIRECTORIES,
    find: 'const election = partition.leader === NO_LEADER ?',
    replace: 'const election = partition.leader < NO_LEADER ?',
    scenario: 'lost-leader-is-found',
  },
  {
    id: 'lost-replicas-lead',
    rule: 'F8: a replica whose directory is lost leads nothing',
    file: LEADERSHIP,
    find: 'rulesOfAll.mayLead(id) && !isLost(partition, id);',
    replace: 'rulesOfAll.mayLead(id) && (!isLost(partition, id) || id > 0);',
  },
  {
    id: 'rotten-batches-are-taken',
    rule: 'F3: a follower holds what it is sent against its checksum',
    file: 'libs/replication/src/follower/fetched-batches.ts',
    find: '{ verifyCrc: true },',
    replace: '{ verifyCrc: false },',
  },
  {
    id: 'rot-is-trusted',
    rule: 'F3: what rotted is fetched anew, and not led with again',
    file: 'libs/commit-log/src/segmented-log.ts',
    find: 'if (rotFrom === null) return;',
    replace: 'if (rotFrom === null || rotFrom >= 0) return;',
    scenario: 'rotten-leader',
  },
  {
    id: 'rot-is-served',
    rule: 'F3: a leader holds what it reads against its checksum',
    file: 'libs/commit-log/src/log-reader.ts',
    find: "return hasValidChecksum(this.#buffer, at) ? null : 'checksum';",
    replace: "return hasValidChecksum(this.#buffer, at) || at >= 0 ? null : 'checksum';",
    scenario: 'rotten-leader',
  },
  {
    id: 'page-cache-is-trusted',
    rule: 'F8: what a failed sync left is written again before it is trusted',
    file: 'libs/commit-log/src/log-loader.ts',
    find: 'if (clean || config.flushMessages === Number.POSITIVE_INFINITY) return;',
    replace: 'if (config.flushMessages >= 0) return;',
    scenario: 'start-after-a-failed-sync',
  },
  {
    id: 'last-one-leaves',
    rule: 'R14: where no eligible leaders are kept the last one stays in its ISR',
    file: LEADERSHIP,
    find: 'const keepsLast = wanted.length === 0 && !rules.elrEnabled;',
    replace: 'const keepsLast = wanted.length < 0 && !rules.elrEnabled;',
    scenario: 'without-eligible-leaders',
  },
  {
    id: 'eligible-though-none-are-kept',
    rule: 'KIP-966: eligible leaders are kept where the feature says so',
    file: LEADERSHIP,
    find: 'if (!rules.elrEnabled) return { elr, lastKnownElr };',
    replace: '',
    scenario: 'without-eligible-leaders',
  },
  {
    id: 'no-snapshot-for-those-behind',
    rule: 'KIP-630: who needs what the metadata log has no more is sent a snapshot',
    file: POSITION,
    find: "if (latestSnapshot !== null && offset < logStartOffset) return { kind: 'snapshot', id: latestSnapshot.id };",
    replace: '',
    scenario: 'snapshot-for-those-behind',
  },
  {
    id: 'epoch-of-the-snapshot-is-forgotten',
    rule: 'KIP-630: a log that begins at a snapshot ends in the epoch of its last record',
    file: POSITION,
    find: 'return { offset, epoch: snapshot?.endOffset === offset ? snapshot.epoch : 0 };',
    replace: 'return { offset, epoch: snapshot?.endOffset === -1 ? snapshot.epoch : 0 };',
  },
  {
    id: 'pieces-of-any-snapshot',
    rule: 'KIP-630: a snapshot is whole when all of its pieces are there',
    file: 'libs/metadata-quorum/src/raft/snapshot-download.ts',
    find: "return this.#position === this.#sizeInBytes ? 'whole' : 'more';",
    replace: "return this.#position > 0 ? 'whole' : 'more';",
    scenario: 'snapshot-for-an-empty-disk',
  },
];
