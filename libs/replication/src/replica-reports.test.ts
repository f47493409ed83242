import { describe, expect, it } from 'vitest';
import { type ReportedReplica, ReplicaReports } from './replica-reports.ts';

const WELL = {
  topicId: 'topic',
  index: 0,
  isFailing: false,
  isFenced: false,
  isInSync: true,
  isMarkedLost: false,
};

const replica = (given: Partial<ReportedReplica> = {}): ReportedReplica => ({ ...WELL, ...given });

describe('reports of a replica', () => {
  it('are not made while the metadata says what is so', () => {
    const reports = new ReplicaReports(10);
    expect(reports.lookAt(replica())).toBeNull();
    expect(reports.lookAt(replica({ isFailing: true, isFenced: true, isInSync: false }))).toBeNull();
    const lost = replica({ isFailing: true, isFenced: true, isInSync: false, isMarkedLost: true });
    expect(reports.lookAt(lost)).toBeNull();
  });

  it('F8: say that it is lost, again after a pause, until the metadata has it', () => {
    const reports = new ReplicaReports(10);
    const failing = replica({ isFailing: true, isFenced: true });
    expect(reports.lookAt(failing)).toMatchObject({ type: 'tell', isLost: true });
    expect(reports.lookAt(failing)).toBeNull();
    expect(reports.told(failing)).toMatchObject({ type: 'arm-pause', delayMs: 10 });
    expect(reports.due(failing)).toMatchObject({ type: 'tell', isLost: true });
    reports.told(failing);
    reports.lookAt(replica({ isFailing: true, isFenced: true, isInSync: false, isMarkedLost: true }));
    expect(reports.due(failing)).toBeNull();
  });

  it('F7: see whether there is room again, with pauses, and say that it is found', () => {
    const reports = new ReplicaReports(10);
    const full = replica({ isFailing: true, isInSync: false, isMarkedLost: true });
    expect(reports.lookAt(full)).toMatchObject({ type: 'arm-pause', delayMs: 10 });
    expect(reports.due(full)).toMatchObject({ type: 'probe' });
    expect(reports.probed(full)).toMatchObject({ type: 'arm-pause' });
    expect(reports.due(full)).toMatchObject({ type: 'probe' });
    const roomy = replica({ isInSync: false, isMarkedLost: true });
    expect(reports.lookAt(roomy)).toBeNull();
    expect(reports.probed(roomy)).toMatchObject({ type: 'tell', isLost: false });
  });

  it('F7: do not wait for room of a log that failed for good meanwhile', () => {
    const reports = new ReplicaReports(10);
    const full = replica({ isFailing: true, isInSync: false });
    reports.lookAt(full);
    reports.lookAt({ ...full, isFenced: true });
    expect(reports.due(full)).toBeNull();
    expect(reports.lookAt({ ...full, isFenced: true })).toBeNull();
  });
});
