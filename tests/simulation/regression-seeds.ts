// Seeds that failed once, and what they found. A seed draws its story from the simulation's own code, so that it tells
// another one when that changes; what each of these found has a test of its own beside the code, too.
export interface RegressionSeed {
  readonly seed: number;
  readonly found: string;
  /** It failed by the profiles of before, which are told still. */
  readonly isPlain?: boolean;
  readonly log?: 'commit-log';
}

const ofPlainProfiles: readonly RegressionSeed[] = [
  {
    seed: 257,
    found:
      'A leader whose epoch rose while it was writing began the later epoch before batches of the earlier one: followers ' +
      'truncated and fetched the same batch for ever.',
  },
  {
    seed: 2592,
    found:
      'A follower with an empty log refused, for ever, the batch inside of which its leader’s log begins.',
  },
  {
    seed: 67,
    found: 'The same with a log that is not empty: nothing before the batch can be compared.',
  },
  {
    seed: 1102,
    found:
      'A leader that took a smaller minimum from the metadata before the loss of its leadership in the same metadata ' +
      'acknowledged what the next leader lacked.',
  },
  {
    seed: 1092,
    found:
      'Elections by which the epoch rises under the same leader were not held against what is committed.',
  },
  {
    seed: 1947,
    found: 'What a deposed leader commits after an unclean election is lost from the beginning.',
  },
  {
    seed: 8097,
    found:
      'The registration of a former process came after that of its successor, whose heartbeats were refused for ever: it ' +
      'has to register again.',
  },
  {
    seed: 19340,
    found:
      'A leader that heard only of its next epoch but one acknowledged by what followers had reported before another led ' +
      'in between.',
  },
  {
    seed: 8146,
    found:
      'A partition that nobody led was moved away from all who could lead it, and had no leader ever again.',
  },
  {
    seed: 10103,
    found:
      'A controller learnt late that it had been elected, in an epoch before that of the one that leads.',
  },
  {
    seed: 20817,
    found:
      'What a leader commits between an unclean election that it does not know of and the next that it wins is lost.',
  },
  {
    seed: 3053,
    found:
      'A proposal for a broker that has lost its disk since is accepted while the controller cannot know.',
  },
  {
    seed: 54586,
    found:
      'A follower whose history parted from the leader’s below the leader’s log start kept what it had there, joined the ' +
      'ISR and led with it.',
  },
  {
    seed: 36718,
    found:
      'A leader elected uncleanly whose log begins inside of a batch was not held against what is committed from that ' +
      'batch on, but from the log start.',
  },
  { seed: 44112, found: 'The same, with a batch of two records where the log has one of three.' },
  { seed: 47522, found: 'The same, with partitions that are moved.' },
];

export const regressionSeeds: readonly RegressionSeed[] = [
  ...ofPlainProfiles.map((failed) => ({ ...failed, isPlain: true })),
  {
    seed: 214,
    found:
      'A partition that nobody led had its eligible leader back when its lost replica was found, and elected nobody.',
  },
  {
    seed: 167,
    log: 'commit-log',
    found:
      'After a sync that failed a start acknowledged what lay in the page cache alone; after a power cut the log had a ' +
      'gap there, and was opened with it.',
  },
  {
    seed: 1514,
    log: 'commit-log',
    found:
      'A follower found room for a part of what it appended at once: its log ended before that part for good, and it ' +
      'fetched the same again and again, without a pause.',
  },
  {
    seed: 211421,
    found:
      'Of the simulated log alone: a retry of a batch that was still to be written was taken for written, and when that ' +
      'write failed it waited for a high watermark that another batch reached.',
  },
];
