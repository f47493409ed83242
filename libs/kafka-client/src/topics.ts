/**
 * The pure entry `@seatlog/kafka-client/topics`: typed topics, codecs and the partition of a key. Imports nothing of Node,
 * so that domain code may declare its topics without knowing how they are carried.
 */
export { bytes, json, nullable, string, type Codec } from './topics/codec.ts';
export { CodecError } from './topics/codec-error.ts';
export type {
  SchemaInput,
  SchemaOutput,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './topics/standard-schema.ts';
export {
  defineTopic,
  type AnyTopic,
  type KeyInput,
  type KeyOutput,
  type RawInput,
  type Topic,
  type TopicName,
  type ValueInput,
  type ValueOutput,
} from './topics/topic.ts';
export { murmur2, partitionOfKey } from './producer/murmur2.ts';
