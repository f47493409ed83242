/** What is written into a record. Text is written as UTF-8. */
export type RecordBytes = Uint8Array | string | null;

export interface RecordHeaderInput {
  readonly key: string;
  readonly value: RecordBytes;
}
