/**
 * What the scripts of writers have in common: numbers go out one after another, and for each a line says what became of it.
 * A writer runs until SIGTERM, or until whoever started it is gone.
 */
export interface WriterOrders {
  readonly brokers: string;
  readonly topic: string;
}

export type WriterLine =
  | { readonly kind: 'acked'; readonly value: number; readonly partition: number; readonly offset: number }
  /** The client gave up: it may be written or not. */
  | { readonly kind: 'given up'; readonly value: number; readonly error: string };

export interface Acked {
  readonly partition: number;
  readonly offset: number;
}

const PAUSE_MS = 5;

export function writerOrders(): WriterOrders {
  process.stdin.on('end', () => process.exit(1)).resume();
  return JSON.parse(process.argv[2] ?? '') as WriterOrders;
}

export async function writeUntilTold(send: (value: number) => Promise<Acked>): Promise<void> {
  const told = new AbortController();
  process.once('SIGTERM', () => told.abort());
  for (let value = 0; !told.signal.aborted; value += 1) {
    let line: WriterLine;
    try {
      line = { kind: 'acked', value, ...(await send(value)) };
    } catch (error) {
      line = { kind: 'given up', value, error: String(error) };
    }
    process.stdout.write(`${JSON.stringify(line)}\n`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
