/**
 * Where Seatlog's broker answers otherwise than Apache Kafka, by scenario and step, and why. docs/deviations.md tells of
 * those that a client could notice.
 */
type Steps = Readonly<Record<string, string>>;

const NO_QUORUM: Steps = Object.fromEntries(
  ['topic', 'partition'].map((what) => [
    `quorum of another ${what}`,
    'the answer still names the quorum, and who leads it',
  ]),
);

export const knownDifferences: Readonly<Record<string, Steps>> = {
  'deleting-topics': {
    'delete one topic by name and by id':
      'the topic is told as it was named last; Kafka tells its name and its id',
  },
  'topic-metadata': {
    'by neither':
      'such a request is refused by INVALID_REQUEST; Kafka says that it failed for a reason unknown',
  },
  'cluster-metadata': NO_QUORUM,
  'broken-batches': {
    'bytes behind the batch':
      'a batch must fill what its producer sent; Kafka passes over bytes that are no batch',
    'an unknown codec':
      'the codec is named as what is wrong; Kafka says that the request failed for a reason unknown',
  },
  'sequenced-batches': {
    'the first again':
      "no append time where the topic keeps the producer's; Kafka tells the time of the batch",
    'the last but four again':
      "no append time where the topic keeps the producer's; Kafka tells the time of the batch",
  },
  fetching: {
    'as an unknown follower':
      'who leads is told from version 12 on, where there is room for it; Kafka begins at version 16',
    'a first session epoch of a session': 'there are no fetch sessions',
    'one partition twice': 'there are two answers; Kafka answers the last wish',
    'an unknown isolation level':
      'it is taken for read_uncommitted; Kafka says that the request failed for a reason unknown',
  },
  'describing-configs': {
    'the broker': 'the configs of a broker are read-only',
  },
  'changing-configs': {
    'an unknown operation':
      'the request is refused by INVALID_REQUEST; Kafka says that it failed for a reason unknown',
    'one topic twice': 'there is one refusal for the topic, not one for each time it is named',
  },
};
