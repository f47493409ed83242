/** The ways of using a client that are compared. */
export type ClientName = 'seatlog' | 'kafkajs' | 'platformatic';
export const CLIENTS: readonly ClientName[] = ['seatlog', 'platformatic', 'kafkajs'];

export type ShapeName =
  | 'produce-1000x1k'
  | 'produce-1000x100'
  | 'produce-100x1k-5-in-flight'
  | 'concurrent-singles-100'
  | 'sequential-100'
  | 'consume-1k'
  | 'consume-100';

export type Shape =
  | {
      readonly kind: 'produce';
      /** Records of one send. */
      readonly perSend: number;
      readonly valueBytes: number;
      /** Sends that wait for their answer at the same time. */
      readonly inFlight: number;
    }
  | { readonly kind: 'consume'; readonly valueBytes: number };

export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  'produce-1000x1k': { kind: 'produce', perSend: 1000, valueBytes: 1024, inFlight: 1 },
  'produce-1000x100': { kind: 'produce', perSend: 1000, valueBytes: 100, inFlight: 1 },
  'produce-100x1k-5-in-flight': { kind: 'produce', perSend: 100, valueBytes: 1024, inFlight: 5 },
  'concurrent-singles-100': { kind: 'produce', perSend: 1, valueBytes: 100, inFlight: 1000 },
  'sequential-100': { kind: 'produce', perSend: 1, valueBytes: 100, inFlight: 1 },
  'consume-1k': { kind: 'consume', valueBytes: 1024 },
  'consume-100': { kind: 'consume', valueBytes: 100 },
};

/** What a client has to be able to do to be measured. */
export interface MeasuredClient {
  /** One send of so many equal records to partition 0; resolves when it is answered. */
  send(topic: string, value: Buffer, count: number): Promise<unknown>;
  /** Consumes from the beginning and tells how many records and bytes came, until `enough` says so. */
  consume(topic: string, enough: (records: number, bytes: number) => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface MeasuredClientOptions {
  readonly brokers: string;
  readonly acks: 1 | -1;
}

/** Topics of the answering broker tell how large their records are. */
export function topicFor(shape: Shape): string {
  return `${shape.kind}-${shape.valueBytes}`;
}
