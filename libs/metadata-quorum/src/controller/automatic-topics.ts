/**
 * Topics that come into being because someone asked for them: by a Metadata request, or because a coordinator needs
 * its log.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { ClusterImage } from '../image/cluster-image.ts';
import { liveBrokers } from '../image/cluster-image.ts';
import type { CreatedTopic, CreateTopicsContext } from './create-topics.ts';
import { createTopics } from './create-topics.ts';
import type { Decision } from './decision.ts';

/** How a coordinator's topic shall look. */
export interface InternalTopic {
  readonly name: string;
  readonly numPartitions: number;
  readonly replicationFactor: number;
  readonly configs: Readonly<Record<string, string>>;
}

export interface InternalTopicAnswer {
  /** NONE, or COORDINATOR_NOT_AVAILABLE while there are too few live brokers for its replicas. */
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

/** Creates those of `names` that do not exist, with the cluster's defaults. One result for each that did not. */
export function autoCreateTopics(
  image: ClusterImage,
  names: readonly string[],
  context: CreateTopicsContext,
): Decision<readonly CreatedTopic[]> {
  const missing = [...new Set(names)].filter((name) => !image.topics.has(name));
  return createTopics(
    image,
    {
      topics: missing.map((name) => ({
        name,
        numPartitions: -1,
        replicationFactor: -1,
        assignments: [],
        configs: [],
      })),
      validateOnly: false,
    },
    context,
  );
}

/** Creates a coordinator's topic unless it is there. Never with fewer replicas than asked for: none would be added later. */
export function ensureInternalTopic(
  image: ClusterImage,
  topic: InternalTopic,
  context: CreateTopicsContext,
): Decision<InternalTopicAnswer> {
  if (image.topics.has(topic.name))
    return { records: [], answer: { errorCode: ErrorCode.NONE, errorMessage: null } };
  const live = liveBrokers(image).length;
  if (live < topic.replicationFactor) {
    const errorMessage = `${topic.name} needs ${topic.replicationFactor} live brokers, there are ${live}.`;
    return { records: [], answer: { errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE, errorMessage } };
  }
  const { records, answer } = createTopics(
    image,
    {
      topics: [
        {
          name: topic.name,
          numPartitions: topic.numPartitions,
          replicationFactor: topic.replicationFactor,
          assignments: [],
          configs: Object.entries(topic.configs).map(([name, value]) => ({ name, value })),
        },
      ],
      validateOnly: false,
    },
    context,
  );
  const [created] = answer;
  return {
    records,
    answer: { errorCode: created?.errorCode ?? ErrorCode.NONE, errorMessage: created?.errorMessage ?? null },
  };
}
