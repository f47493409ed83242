// Rules of leaders and followers, each undone.
import type { Mutant } from './mutant.ts';

const FOLLOWER = 'libs/replication/src/follower/partition-follower.ts';
const TRUNCATION = 'libs/replication/src/follower/truncation.ts';
const BATCHES = 'libs/replication/src/follower/fetched-batches.ts';
const LEADER = 'libs/replication/src/leader/partition-leader.ts';
const FETCH_CHECK = 'libs/replication/src/leader/fetch-check.ts';
const MEMBERSHIP = 'libs/replication/src/leader/isr-membership.ts';
const HIGH_WATERMARK = 'libs/replication/src/leader/high-watermark.ts';
const ISR = 'libs/replication/src/isr/in-sync-replicas.ts';
const REPLICA = 'libs/replication/src/partition-replica.ts';

export const replicationMutants: readonly Mutant[] = [
  {
    id: 'truncate-to-high-watermark',
    rule: 'KIP-101: truncate by leader epoch, never by high watermark',
    file: FOLLOWER,
    find: 'else if (latestLeaderEpoch === UNDEFINED_EPOCH && logEndOffset > highWatermark) {',
    replace: 'else if (latestLeaderEpoch >= UNDEFINED_EPOCH && logEndOffset > highWatermark) {',
    scenario: 'restart-below-the-high-watermark',
  },
  {
    id: 'no-divergence-check',
    rule: 'R23: a fetch is held against the epoch cache',
    file: FETCH_CHECK,
    find: 'if (epoch < look.lastFetchedEpoch || endOffset < look.fetchOffset)',
    replace: 'if (epoch < -1)',
  },
  {
    id: 'divergence-by-offset-alone',
    rule: 'R23: an epoch that the leader does not have diverges',
    file: FETCH_CHECK,
    find: 'if (epoch < look.lastFetchedEpoch || endOffset < look.fetchOffset)',
    replace: 'if (endOffset < look.fetchOffset)',
  },
  {
    id: 'truncate-to-leader-end-alone',
    rule: 'KIP-279: a log that does not know the leader’s epoch is cut where its own histories part',
    file: TRUNCATION,
    find: 'if (own.epoch === UNDEFINED_EPOCH) return',
    replace: 'if (own.epoch >= UNDEFINED_EPOCH) return',
  },
  {
    id: 'no-epoch-fence',
    rule: 'KIP-320: every fetch is fenced by the current leader epoch',
    file: 'libs/replication/src/leader-epoch-fence.ts',
    find: 'if (requested === UNDEFINED_EPOCH || requested === own) return',
    replace: 'if (requested >= UNDEFINED_EPOCH || requested === own) return',
    scenario: 'fetch-of-another-epoch',
  },
  {
    id: 'joining-not-in-maximal-isr',
    rule: 'KIP-497: the maximal ISR holds who is about to join',
    file: ISR,
    find: "return state.kind === 'pending-expand' ? [...state.lastCommitted.isr, state.joining] : this.committed;",
    replace: 'return lastCommitted(state).isr;',
  },
  {
    id: 'shrink-before-it-is-confirmed',
    rule: 'R7: a pending shrink still counts those to be dropped',
    file: ISR,
    find: "return state.kind === 'pending-expand' ? [...state.lastCommitted.isr, state.joining] : this.committed;",
    replace:
      "return state.kind === 'pending-shrink' ? this.committed.filter((id) => !state.leaving.includes(id)) : " +
      "state.kind === 'pending-expand' ? [...state.lastCommitted.isr, state.joining] : this.committed;",
  },
  {
    id: 'join-below-high-watermark',
    rule: 'R12: who joins has reached the high watermark',
    file: MEMBERSHIP,
    find: 'follower.logEndOffset >= leader.highWatermark &&',
    replace: '',
  },
  {
    id: 'join-below-epoch-start',
    rule: 'KAFKA-7128: who joins has reached the start of the epoch',
    file: MEMBERSHIP,
    find: 'follower.logEndOffset >= leader.epochStartOffset &&',
    replace: '',
    scenario: 'join-at-epoch-start',
  },
  {
    id: 'fetch-of-a-dead-process',
    rule: 'KIP-903: a fetch of a former process is no report',
    file: FETCH_CHECK,
    find: 'return brokerEpoch !== UNKNOWN_BROKER_EPOCH && brokerEpoch < registered',
    replace: 'return brokerEpoch > registered + 1_000_000',
    scenario: 'fetch-of-a-dead-process',
  },
  {
    id: 'high-watermark-below-min-isr',
    rule: 'KIP-966: the high watermark is frozen below the minimum',
    file: HIGH_WATERMARK,
    find: 'heldBackBy, isUnderMinIsr } = inputs;',
    replace: 'heldBackBy } = inputs;\n  const isUnderMinIsr = false;',
  },
  {
    id: 'high-watermark-falls',
    rule: 'R8: the high watermark of a leader never falls',
    file: HIGH_WATERMARK,
    find: 'return Math.max(highWatermark, reached);',
    replace: 'return reached;',
  },
  {
    id: 'unknown-follower-does-not-count',
    rule: 'R21: a leader waits for the first fetch of every member',
    file: MEMBERSHIP,
    find: 'if (maximalIsr.includes(follower.brokerId) || isAboutToJoin) yield follower.logEndOffset;',
    replace:
      'if (follower.logEndOffset >= 0 && (maximalIsr.includes(follower.brokerId) || isAboutToJoin)) yield follower.logEndOffset;',
  },
  {
    id: 'members-do-not-count',
    rule: 'R7: the high watermark is what all members hold',
    file: MEMBERSHIP,
    find: 'if (maximalIsr.includes(follower.brokerId) || isAboutToJoin) yield follower.logEndOffset;',
    replace: 'if (isAboutToJoin) yield follower.logEndOffset;',
  },
  {
    id: 'consumers-read-to-log-end',
    rule: 'R5: consumers read to the high watermark',
    file: FETCH_CHECK,
    find: "return { kind: 'read', bound: look.isReadCommitted ? 'last-stable' : 'high-watermark' };",
    replace: "return { kind: 'read', bound: 'log-end' };",
  },
  {
    id: 'divergence-is-progress',
    rule: 'KAFKA-13141: a fetch that diverges is no report',
    file: REPLICA,
    find: "if (verdict.kind === 'read' && look.replicaId !== CONSUMER) {",
    replace: "if (verdict.kind !== 'refused' && look.replicaId !== CONSUMER) {",
    scenario: 'divergence-is-no-report',
  },
  {
    id: 'high-watermark-before-truncation',
    rule: 'KAFKA-14704: the high watermark of a truncating answer is not applied before the truncation',
    file: FOLLOWER,
    find: 'else this.#truncateTo(answer, effects);',
    replace:
      'else { this.#applyLeaderOffsets(answer.highWatermark, answer.logStartOffset, effects); this.#truncateTo(answer, effects); }',
    scenario: 'high-watermark-of-a-truncation',
  },
  {
    id: 'epochs-stay-at-log-end',
    rule: 'KAFKA-10706: a truncation to the log end still cleans the epoch cache',
    file: FOLLOWER,
    find: 'const below = offset < this.#log.logStartOffset;',
    replace:
      "const below = offset < this.#log.logStartOffset; if (offset === this.#log.logEndOffset) { this.#enter({ kind: 'ready' }, effects); return; }",
    scenario: 'empty-epoch',
  },
  {
    id: 'later-epochs-are-taken',
    rule: 'KAFKA-18723: no batch of a later epoch than that of the fetch',
    file: BATCHES,
    find: 'isLater = batchPartitionLeaderEpoch(bytes, position) > leaderEpoch;',
    replace: 'isLater = batchPartitionLeaderEpoch(bytes, position) > leaderEpoch + 1_000_000;',
    scenario: 'later-epoch-in-an-answer',
  },
  {
    id: 'any-answer-counts',
    rule: 'R28: an answer counts for the request it was sent for',
    file: FOLLOWER,
    find: "return this.#state.kind === 'fetching' && this.#state.requestId === requestId;",
    replace: "return this.#state.kind === 'fetching' && requestId > 0;",
  },
  {
    id: 'produce-below-min-isr',
    rule: 'R17: acks=all is refused below the minimum, before anything is written',
    file: LEADER,
    find: 'return acks === -1 && this.isUnderMinIsr ? ErrorCode.NOT_ENOUGH_REPLICAS : ErrorCode.NONE;',
    replace: 'return ErrorCode.NONE;',
    scenario: 'below-the-minimum',
  },
  {
    id: 'silent-followers-leave',
    rule: 'R11: a follower at the log end keeps up, however long it is silent',
    file: 'libs/replication/src/leader/follower-state.ts',
    find: 'return state.logEndOffset === leaderEndOffset || nowMs',
    replace: 'return nowMs',
    scenario: 'stopped-follower',
  },
  {
    id: 'accepted-counts-at-once',
    rule: 'KIP-966: an ISR and the minimum it was held to are one',
    file: REPLICA,
    find: "return event.type === 'isr-answered' && event.verdict.kind === 'accepted';",
    replace: 'return event.type === undefined;',
    scenario: 'raised-minimum',
  },
  {
    id: 'overtaken-is-taken-back',
    rule: 'R15: a proposal that was overtaken stays pending',
    file: ISR,
    find: "      return 'overtaken';",
    replace: "      return 'not-applied';",
  },
  {
    id: 'epoch-begins-while-writing',
    rule: 'R21: an epoch begins at a log end that stands',
    file: REPLICA,
    find: '|| (leaderEpoch > present && !this.#isSettled);',
    replace: ';',
  },
  {
    id: 'led-all-the-time',
    rule: 'R21: a leader that another may have followed in between knows nothing of its followers',
    file: REPLICA,
    find: 'return leaderEpoch > present + 1 || (',
    replace: 'return (',
    scenario: 'another-led-between',
  },
  {
    id: 'elected-while-writing',
    rule: 'R21: a leader is made when nothing is being written',
    file: REPLICA,
    find: 'if (metadata === null || this.follower?.isWriting === true || !this.#isSettled) return;',
    replace: 'if (metadata === null) return;',
  },
  {
    id: 'out-of-range-is-left',
    rule: 'R26: a log that ends behind its leader’s is cut',
    file: FOLLOWER,
    find: 'if (leaderEnd < logEndOffset) {',
    replace: 'if (leaderEnd < 0) {',
  },
  {
    id: 'deleted-records-are-left',
    rule: 'R26: a log that ends before its leader’s begins anew',
    file: FOLLOWER,
    find: '} else if (leaderStart > logEndOffset) {',
    replace: '} else if (leaderStart < 0) {',
  },
  {
    id: 'kept-below-the-log-start',
    rule: 'R24: what parts below the leader’s log start is dropped as a whole',
    file: FOLLOWER,
    find: 'if (diverging.endOffset <= leaderStart) {',
    replace: 'if (diverging.endOffset < -1) {',
    scenario: 'divergence-below-the-log-start',
  },
  {
    id: 'deleted-history-is-in-line',
    rule: 'R23: a log that ends where the leader’s begins, in an older epoch, is not known to be in line',
    file: FETCH_CHECK,
    find: 'if (endOffset === log.logStartOffset && isBeforeAllThatIsKnown(look, led))',
    replace: 'if (endOffset < -1)',
    scenario: 'ends-at-the-log-start',
  },
  {
    id: 'inside-of-a-batch',
    rule: 'R26: the batch in which the leader’s log begins is taken as a whole',
    file: FOLLOWER,
    find: 'if (firstOffset >= logEndOffset) {',
    replace: 'if (firstOffset >= 0) {',
  },
  {
    id: 'acknowledged-when-written',
    rule: 'R16: acks=all waits for the high watermark',
    file: 'libs/replication/src/produce/pending-produce.ts',
    find: "    if (this.#acks === -1) {\n      this.#progress[place] = { kind: 'replicating', batch };",
    replace: "    if (this.#acks === -2) {\n      this.#progress[place] = { kind: 'replicating', batch };",
  },
  {
    id: 'waits-outlive-leadership',
    rule: 'R29: a leader that is none any more ends its waits',
    file: LEADER,
    find: 'effects.push(ended(token, ErrorCode.NOT_LEADER_OR_FOLLOWER));\n    }\n    const proposal',
    replace: 'effects.push(ended(token, ErrorCode.NONE));\n    }\n    const proposal',
  },
];
