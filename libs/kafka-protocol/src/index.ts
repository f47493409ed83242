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
export { includesVersion, parseVersions } from './schema/version-range.ts';
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
  type LonePlace,
  type LoneProduce,
  readLoneProduce,
  writeLoneProduceAnswer,
} from './lone-produce.ts';
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
export { BatchHeaders } from './batch/batch-headers.ts';
export { FrameSplitter, type FrameSplitterOptions, type OnFrame } from './frame-splitter.ts';
export {
  type BatchScan,
  type BatchState,
  batchCrcMatches,
  batchesIn,
  batchStateAt,
  scanBatches,
} from './batch/batch-scan.ts';
export { type BatchProblem, type BatchRules, checkBatch } from './batch/check-batch.ts';
export {
  RecordBatchWriter,
  type RecordBatchWriterOptions,
  type SealOptions,
} from './batch/record-batch-writer.ts';
export type { RecordBytes, RecordHeaderInput } from './batch/record-input.ts';
export { DEFAULT_MAX_DECOMPRESSED_BYTES, RecordCursor, type RecordHeader } from './batch/record-cursor.ts';
export { decodeRecords, RecordView, visitRecords } from './batch/record-view.ts';
export {
  ControlType,
  decodeControlType,
  decodeEndTransactionMarker,
  encodeControlKey,
  encodeEndTransactionMarker,
  encodeTransactionMarker,
  type LeaderChangeMessage,
  leaderChangeMessage,
  type TransactionMarker,
} from './batch/control-record.ts';
export {
  Compression,
  type CompressionName,
  compress,
  compressionName,
  decompress,
  isKnownCompression,
} from './compression/codec.ts';
export {
  CONSUMER_PROTOCOL_TYPE,
  type ConsumerAssignment,
  type ConsumerSubscription,
  consumerAssignment,
  consumerSubscription,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from './consumer-protocol.ts';
