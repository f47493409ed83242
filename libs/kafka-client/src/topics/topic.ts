/** Typed topic declarations: a name and two codecs, shared by those who produce and those who consume. */
import { bytes, nullable, type Codec } from './codec.ts';

export interface Topic<
  Name extends string = string,
  KeyInput = never,
  KeyOutput = unknown,
  ValueInput = never,
  ValueOutput = unknown,
> {
  readonly name: Name;
  readonly key: Codec<KeyInput, KeyOutput>;
  readonly value: Codec<ValueInput, ValueOutput>;
}

const optionalBytes: Codec<Uint8Array | null> = nullable(bytes);

/**
 * Declares a topic. Without a key codec, keys are optional bytes.
 *
 * ```ts
 * export const refunds = defineTopic({ name: 'refund-events', key: string, value: json(RefundRequested) });
 * await producer.send({ topic: refunds, key: seatId, value: { refundId, amount } });
 * ```
 */
export function defineTopic<const Name extends string, KI, KO, VI, VO>(declaration: {
  readonly name: Name;
  readonly key: Codec<KI, KO>;
  readonly value: Codec<VI, VO>;
}): Topic<Name, KI, KO, VI, VO>;
export function defineTopic<const Name extends string, VI, VO>(declaration: {
  readonly name: Name;
  readonly value: Codec<VI, VO>;
}): Topic<Name, Uint8Array | null, Uint8Array | null, VI, VO>;
export function defineTopic(declaration: {
  readonly name: string;
  readonly key?: Codec<never, unknown>;
  readonly value: Codec<never, unknown>;
}): Topic {
  return Object.freeze({
    name: declaration.name,
    key: declaration.key ?? optionalBytes,
    value: declaration.value,
  });
}

/** Any typed topic, whatever its types. */
export type AnyTopic = Topic;

export type TopicName<T extends string | AnyTopic> = T extends string
  ? T
  : T extends AnyTopic
    ? T['name']
    : never;

/** What a producer gives as key; for a topic named by a string: text, bytes or nothing. */
export type KeyInput<T extends string | AnyTopic> = T extends Topic<string, infer Input> ? Input : RawInput;
export type ValueInput<T extends string | AnyTopic> =
  T extends Topic<string, never, unknown, infer Input> ? Input : RawInput;

/** What a consumer gets as key; for a topic named by a string: bytes or null. */
export type KeyOutput<T extends string | AnyTopic> =
  T extends Topic<string, never, infer Output> ? Output : Uint8Array | null;
export type ValueOutput<T extends string | AnyTopic> =
  T extends Topic<string, never, unknown, never, infer Output> ? Output : Uint8Array | null;

/** Text is written as UTF-8. */
export type RawInput = string | Uint8Array | null;
