/**
 * What the scripts of group members have in common: their orders, and the lines that they print. A member runs until
 * SIGTERM, on which it leaves its group, or until whoever started it is gone.
 */
export interface MemberOrders {
  readonly brokers: string;
  readonly topic: string;
  readonly group: string;
  readonly sessionTimeoutMs: number;
  /** `group.instance.id`; null for a dynamic member. */
  readonly instanceId: string | null;
  /** How often a client tries again before it begins anew; else as often as it takes to outlast a restart. */
  readonly retries?: number;
}

export type MemberLine =
  /** What the member has from now on. */
  | { readonly kind: 'assigned'; readonly partitions: readonly number[] }
  /** A record is here; its commit may come to nothing, or not be heard of. */
  | { readonly kind: 'read'; readonly value: string }
  /** A record was read, and then its offset committed. */
  | { readonly kind: 'handled'; readonly partition: number; readonly offset: number; readonly value: string };

export const HEARTBEAT_MS = 300;

export function memberOrders(): MemberOrders {
  process.stdin.on('end', () => process.exit(1)).resume();
  return JSON.parse(process.argv[2] ?? '') as MemberOrders;
}

export function tell(line: MemberLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export function leaveOnRequest(leave: () => Promise<unknown>): void {
  process.once('SIGTERM', () => {
    leave().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  });
}
