/** What a broker does about replicas whose logs take no more: the reports of replication, carried out. */
import { LOST_DIRECTORY, type ReportEffect, ReplicaReports } from '@seatlog/replication';
import type { BrokerRun } from './broker-run.ts';
import type { HostedPartition } from './hosted-partition.ts';

const PAUSE_MS = 300;

export class FailedLogs {
  readonly #run: BrokerRun;
  readonly #reports = new ReplicaReports<HostedPartition>(PAUSE_MS);

  constructor(run: BrokerRun) {
    this.#run = run;
  }

  /** There is news of a replica. */
  lookAt(hosted: HostedPartition): void {
    this.#carryOut(this.#reports.lookAt(hosted));
  }

  forget(hosted: HostedPartition): void {
    this.#reports.forget(hosted);
  }

  #carryOut(effect: ReportEffect<HostedPartition> | null): void {
    if (effect === null) return;
    const { replica } = effect;
    switch (effect.type) {
      case 'tell':
        this.#tell(replica, effect.isLost);
        return;
      case 'probe':
        replica.probeRoom(() => this.#carryOut(this.#reports.probed(replica)));
        return;
      case 'arm-pause':
        this.#run.process.schedule(effect.delayMs, 'look at a failed log', () =>
          this.#carryOut(this.#reports.due(replica)),
        );
    }
  }

  #tell(replica: HostedPartition, isLost: boolean): void {
    const { owner, world, image, brokerEpoch } = this.#run;
    const { topicId, index } = replica;
    const told = (): void => this.#carryOut(this.#reports.told(replica));
    const directoryId = isLost ? LOST_DIRECTORY : image?.brokers.get(owner.id)?.logDirs[0];
    if (directoryId === undefined) {
      told();
      return;
    }
    this.#run.tell(() => `partition ${index} is ${isLost ? 'lost' : 'found'}`);
    const replicas = [{ topicId, partitionIndex: index, directoryId }];
    world.plane.call<boolean>({
      label: 'assign directories',
      from: owner.id,
      serve: (service, respond) =>
        service.assignDirectories({ brokerId: owner.id, brokerEpoch, replicas }, respond),
      answered: told,
      failed: told,
    });
  }
}
