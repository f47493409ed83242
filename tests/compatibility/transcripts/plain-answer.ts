/**
 * What is left of an answer when all is taken away that two brokers may rightly tell differently: addresses, ids that were
 * drawn by chance, the words of error messages, sizes on disk. Ids become `<member 1>`, `<topic 2>` by the order in which they
 * were first seen, times are told from the session's base, and lists of structures are put in order.
 */
import {
  batchBaseOffset,
  batchBaseSequence,
  batchCompression,
  batchesIn,
  batchHasLogAppendTime,
  batchLastOffset,
  batchPartitionLeaderEpoch,
  batchProducerEpoch,
  batchRecordCount,
  errorByCode,
  ZERO_UUID,
} from '@seatlog/kafka-protocol';

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

/** How far from the base a number may lie that is taken for a time. */
const TIMES_WITHIN_MS = 86_400_000;

const ANYTHING = new Set([
  'host',
  'port',
  'clusterId',
  'clientHost',
  'logDir',
  'partitionSize',
  'totalBytes',
  'usableBytes',
]);
const LEFT_OUT = new Set(['throttleTimeMs', 'documentation', 'errorMessage', 'batchIndexErrorMessage']);
/** Of a batch that was refused they tell nothing. */
const OF_WRITTEN_BATCHES = new Set(['logStartOffset', 'recordErrors']);
const ERROR_CODES = /ErrorCode$|^errorCode$/;

/** Configs of topics for what Seatlog does not have: tiered storage, throttled moves, codecs chosen by the broker, retired formats. */
const UNSERVED_CONFIGS =
  /^(remote|local|follower|leader|compression\.\w+\.level|internal|errors|max\.decompressed|preallocate|message\.format|message\.downconversion)\b/;

function isUnservedConfig(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('name' in value && 'configSource' in value))
    return false;
  return UNSERVED_CONFIGS.test(String(value.name));
}

export class PlainAnswers {
  readonly #base: number;
  readonly #suffix: string;
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `suffix` is what the run puts behind its names; it is taken away. */
  constructor(base: number, suffix: string) {
    this.#base = base;
    this.#suffix = suffix;
  }

  of(value: unknown, key = ''): Plain {
    if (value === null || value === undefined) return null;
    if (value instanceof Uint8Array)
      return key === 'records' ? this.#batches(value) : Buffer.from(value).toString('latin1');
    if (Array.isArray(value)) return this.#list(value, key);
    if (typeof value === 'object') return this.#structure(value);
    if (typeof value === 'number') return this.#number(value, key);
    if (typeof value === 'string') return this.#string(value, key);
    return value === true;
  }

  #structure(value: object): Plain {
    const isRefusedBatch = 'baseOffset' in value && 'errorCode' in value && value.errorCode !== 0;
    const entries = Object.entries(value).filter(
      ([key]) => !(LEFT_OUT.has(key) || (isRefusedBatch && OF_WRITTEN_BATCHES.has(key))),
    );
    return Object.fromEntries(entries.map(([key, inner]) => [key, this.of(inner, key)]));
  }

  #list(values: readonly unknown[], key: string): Plain {
    const plain = values.filter((value) => !isUnservedConfig(value)).map((value) => this.of(value, key));
    if (typeof values[0] !== 'object') return plain;
    return plain.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
  }

  #number(value: number, key: string): Plain {
    if (ANYTHING.has(key)) return '<any>';
    if (ERROR_CODES.test(key)) return errorByCode(value).name;
    if (key === 'sessionId') return value === 0 ? 0 : '<session>';
    if (key === 'producerId') return value < 0 ? value : this.#named('producer', String(value));
    if (Math.abs(value - this.#base) < TIMES_WITHIN_MS)
      return key === 'logAppendTimeMs' ? '<now>' : `base+${value - this.#base}`;
    return value;
  }

  #string(value: string, key: string): Plain {
    if (ANYTHING.has(key)) return '<any>';
    if (key === 'topicId') return value === ZERO_UUID ? '<none>' : this.#named('topic', value);
    if (key === 'memberId' || key === 'leader') return this.#member(value);
    return value.replaceAll(this.#suffix, '').replaceAll(this.#suffix.replaceAll('.', '_'), '');
  }

  /** Ids that the coordinator made up are longer than any that a scenario makes up. */
  #member(value: string): string {
    return value.length > 30 ? this.#named('member', value) : value;
  }

  #named(kind: string, id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    this.#names.set(id, name);
    return name;
  }

  #batches(bytes: Uint8Array): Plain {
    return [...batchesIn(bytes)].map((batch) =>
      [
        `${batchBaseOffset(batch)}-${batchLastOffset(batch)}`,
        `records ${batchRecordCount(batch)}`,
        `epoch ${batchPartitionLeaderEpoch(batch)}`,
        `codec ${batchCompression(batch)}`,
        `producer ${batchProducerEpoch(batch)}/${batchBaseSequence(batch)}`,
        batchHasLogAppendTime(batch) ? 'append time' : 'create time',
      ].join(', '),
    );
  }
}
