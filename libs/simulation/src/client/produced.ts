/** One thing that a producer asked for, and what it was told. */
export interface Produced {
  readonly partition: number;
  readonly acks: number;
  readonly isIdempotent: boolean;
  /** The checksum of the batch: its identity. */
  readonly crc: number;
  readonly count: number;
  /** Undefined until it is known; an error code when it was given up. */
  errorCode: number | undefined;
  baseOffset: number;
}
