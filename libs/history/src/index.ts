/**
 * @seatlog/history: what producers and consumers of a log did and saw, and what in it should not be. Pure.
 *
 *     const recorder = new HistoryRecorder();
 *     const sending = recorder.begin('producer-1', [{ kind: 'send', partition: 'seats-0', value: 1, offset: null }]);
 *     sending.succeeded([0]);
 *     recorder.polled('reader', 'seats-0', [[0, 1]]);
 *     checkHistory(recorder.history); // []
 *
 * The checks are those that Jepsen makes of Kafka: lost write, unseen, duplicate, inconsistent offsets, aborted read,
 * non-monotonic poll and send, poll skip, and the transaction cycles G0 and G1c.
 */
export { type Anomaly, type AnomalyKind, anomalyKinds } from './anomaly.ts';
export { checkHistory } from './check-history.ts';
export type {
  Action,
  Entry,
  History,
  Operation,
  Outcome,
  PartitionName,
  PolledRecord,
  PollAction,
  Repositioning,
  SendAction,
} from './history.ts';
export { HistoryRecorder, type OpenOperation } from './history-recorder.ts';
export { formatEntry, parseEntry } from './history-lines.ts';
