/** What a controller's listener serves of the quorum itself. One line per API, by key. */
import { controllerApiVersions } from '../../handlers/18-api-versions.ts';
import type { HandlerDefinition } from '../../handlers/handler.ts';
import type { ControllerServices } from '../controller-services.ts';
import { fetchMetadata } from './01-fetch.ts';
import { vote } from './52-vote.ts';
import { beginQuorumEpoch } from './53-begin-quorum-epoch.ts';
import { endQuorumEpoch } from './54-end-quorum-epoch.ts';
import { fetchSnapshot } from './59-fetch-snapshot.ts';
import { describeControllers } from './60-describe-cluster.ts';

export const quorumHandlers: readonly HandlerDefinition<ControllerServices>[] = [
  fetchMetadata,
  controllerApiVersions,
  vote,
  beginQuorumEpoch,
  endQuorumEpoch,
  fetchSnapshot,
  describeControllers,
];
