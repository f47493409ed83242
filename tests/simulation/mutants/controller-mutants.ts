// Rules of the controller and of what a log remembers, each undone.
import type { Mutant } from './mutant.ts';

const ALTER_PARTITION = 'libs/metadata-quorum/src/controller/alter-partition.ts';
const LIFECYCLE = 'libs/metadata-quorum/src/controller/broker-lifecycle.ts';
const LEADERSHIP = 'libs/metadata-quorum/src/controller/partition-leadership.ts';
const PRODUCERS = 'libs/commit-log/src/producer-state-manager.ts';

export const controllerMutants: readonly Mutant[] = [
  {
    id: 'fenced-members',
    rule: 'KIP-841: no fenced replica in an ISR',
    file: ALTER_PARTITION,
    find: 'if (!isActive(broker) || !isIncarnation || isLosing) {',
    replace: 'if (!isIncarnation || isLosing) {',
  },
  {
    id: 'members-of-a-former-process',
    rule: 'KIP-903: no stale broker epoch in an ISR',
    file: ALTER_PARTITION,
    find: 'const isIncarnation = brokerEpoch === -1 || broker?.epoch === brokerEpoch;',
    replace: 'const isIncarnation = true;',
    scenario: 'reboot',
  },
  {
    id: 'stale-partition-epoch',
    rule: 'R13: a proposal on an earlier state is refused',
    file: ALTER_PARTITION,
    find: 'if (partitionEpoch < partition.partitionEpoch) {',
    replace: 'if (partitionEpoch < 0) {',
  },
  {
    id: 'unclean-registration',
    rule: 'R20: an unclean restart takes a broker out of ISR and ELR',
    file: LIFECYCLE,
    find: 'const clean = existing !== undefined && existing.epoch === request.previousBrokerEpoch;',
    replace: 'const clean = existing !== undefined;',
  },
  {
    id: 'unclean-stays-eligible',
    rule: 'KIP-966: who stopped uncleanly is no eligible leader',
    file: LEADERSHIP,
    find: 'elr: partition.elr.filter((id) => assigned(id) && !stopped.has(id)),',
    replace: 'elr: partition.elr.filter(assigned),',
  },
  {
    id: 'gone-brokers-stay-in-the-isr',
    rule: 'R14: the controller drops from every ISR who is fenced or stops',
    file: LIFECYCLE,
    find: 'return [brokerRegistrationChange(id, epoch, change), ...withoutBroker(image, id, schema, false)];',
    replace: 'return [brokerRegistrationChange(id, epoch, change)];',
  },
  {
    id: 'any-replica-leads',
    rule: 'R20: leaders come from the ISR, or from the ELR where it is empty',
    file: LEADERSHIP,
    find: 'const valid = (id: number): boolean => inSync.includes(id) && rules.mayLead(id);',
    replace:
      'const valid = (id: number): boolean => (inSync.length < 2 || inSync.includes(id)) && rules.mayLead(id);',
  },
  {
    id: 'elr-with-enough-members',
    rule: 'KIP-966: there are no eligible leaders outside of an ISR that is large enough',
    file: LEADERSHIP,
    find: 'if (isr.length >= Math.min(rules.minInsyncReplicas, replicas.length)) return { elr: [], lastKnownElr: [] };',
    replace: '',
  },
  {
    id: 'epoch-stays-with-another-leader',
    rule: 'R20: another leader has another epoch',
    file: 'libs/metadata-quorum/src/image/image-draft.ts',
    find: 'leaderEpoch: partition.leaderEpoch + (leaderNamed ? 1 : 0),',
    replace: 'leaderEpoch: partition.leaderEpoch + (leaderNamed && record.leader === -1 ? 1 : 0),',
  },
  {
    id: 'retry-is-another-batch',
    rule: 'F29: a retry of what is written is answered with its offset',
    file: PRODUCERS,
    find: 'return batch.firstSequence === expected ? NEXT : refused(',
    replace: 'return batch.firstSequence <= expected ? NEXT : refused(',
    scenario: 'late-retry',
  },
  {
    id: 'retries-are-forgotten',
    rule: 'F29: the last batches of a producer are remembered',
    file: PRODUCERS,
    find: 'if (earlier.lastSequence !== batch.lastSequence || firstSequenceOf(earlier) !== batch.firstSequence)',
    replace: 'if (earlier.lastSequence >= 0)',
  },
];
