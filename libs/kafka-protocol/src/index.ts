/**
 * @seatlog/kafka-protocol: Kafka's bytes. Schemas and codecs of the APIs, frames, record batches, compression,
 * checksums, error codes. Pure: no sockets, no files, no clock.
 */
export { ProtocolError, type ProtocolErrorCode } from './protocol-error.ts';
export { DEFAULT_MAX_FRAME_BYTES, MAX_ELEMENTS_PER_MESSAGE, MAX_STRING_BYTES } from './limits.ts';
export { ZERO_UUID, uuidFromBytes, uuidToBytes } from './uuid.ts';
export { ByteReader } from './byte-reader.ts';
export { ByteWriter } from './byte-writer.ts';
export * as field from './schema/field.ts';
export type { Field, FieldOptions, Fields, InputOf, OutputOf, RecordBytesInput } from './schema/field.ts';
export {
  defineRecord,
  type RecordDeclaration,
  type RecordInput,
  type RecordOf,
  type RecordSchema,
} from './schema/record-schema.ts';
export {
  type AnyApi,
  type Api,
  defineApi,
  type RequestInput,
  type RequestOf,
  type ResponseInput,
  type ResponseOf,
} from './api.ts';
export { apiByKey, apis } from './messages/index.ts';
export {
  decodeRequestBody,
  decodeRequestHeader,
  encodeRequest,
  type RequestHeader,
} from './request-frame.ts';
export { decodeCorrelationId, decodeResponse, encodeResponse } from './response-frame.ts';
export {
  ErrorCode,
  type ErrorEntry,
  errorByCode,
  errorByName,
  type ErrorName,
  errorTable,
} from './error-table.ts';
export { crc32c, crc32cImplementation } from './crc32c.ts';
export {
  batchAttributes,
  batchBaseOffset,
  batchBaseSequence,
  batchBaseTimestamp,
  batchCompression,
  batchCrc,
  batchHasDeleteHorizon,
  batchHasLogAppendTime,
  batchIsControl,
  batchIsTransactional,
  batchLastOffset,
  batchLastOffsetDelta,
  batchLastSequence,
  batchMagic,
  batchMaxTimestamp,
  batchPartitionLeaderEpoch,
  batchProducerEpoch,
  batchProducerId,
  batchRecordCount,
  batchSizeInBytes,
  computeBatchCrc,
  RECORD_BATCH_OVERHEAD,
  stampBaseOffset,
  stampLeaderEpoch,
  stampLogAppendTime,
} from './batch/batch-header.ts';
