/**
 * Administrative calls are lists of items, each with a result of its own. Those that fail for a passing reason go into
 * another round until the deadline; what has failed for good is told in one error at the end.
 */
import { backoffMs } from '../backoff.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { AdminError, KafkaClientError, type FailedItem } from '../errors.ts';
import { aborted } from '../waiting.ts';
import type { RequestOptions } from './types.ts';

export type ItemOutcome<Result> =
  | { readonly result: Result; readonly error?: undefined }
  | { readonly error: KafkaClientError };

export interface RoundContext {
  readonly deadline: number;
  /** What is left until the deadline, for the broker. */
  readonly timeoutMs: number;
}

export async function inRounds<Item, Result>(
  cluster: Cluster,
  items: readonly Item[],
  options: RequestOptions,
  nameOf: (item: Item) => string,
  round: (open: readonly Item[], context: RoundContext) => Promise<readonly ItemOutcome<Result>[]>,
): Promise<Result[]> {
  const { ports, requestTimeoutMs, retryBackoff } = cluster.settings;
  const deadline = ports.clock.monotonic() + (options.timeoutMs ?? requestTimeoutMs);
  const results = new Map<Item, Result>();
  const failures = new Map<Item, KafkaClientError>();
  let open = items;
  for (let rounds = 1; open.length > 0; rounds++) {
    if (options.signal?.aborted === true) throw aborted(options.signal);
    const timeoutMs = Math.max(deadline - ports.clock.monotonic(), 1);
    const outcomes = await outcomesOf(open, () => round(open, { deadline, timeoutMs }));
    const again: Item[] = [];
    open.forEach((item, index) => {
      const outcome = outcomes[index] ?? { error: leftOut(nameOf(item)) };
      if (outcome.error === undefined) {
        results.set(item, outcome.result);
        failures.delete(item);
      } else {
        failures.set(item, outcome.error);
        if (outcome.error.retriable) again.push(item);
      }
    });
    const pause = backoffMs(retryBackoff, rounds, ports.random.fraction());
    if (again.length === 0 || ports.clock.monotonic() + pause > deadline) break;
    cluster.requestRefresh();
    await new Promise<void>((resolve) => {
      ports.timers.schedule(pause, resolve);
    });
    open = again;
  }
  if (failures.size > 0)
    throw adminError(Array.from(failures, ([item, error]) => ({ item: nameOf(item), error })));
  return items.map((item) => results.get(item) as Result);
}

/** A round that fails as a whole fails for each of its items. */
async function outcomesOf<Result>(
  open: readonly unknown[],
  round: () => Promise<readonly ItemOutcome<Result>[]>,
): Promise<readonly ItemOutcome<Result>[]> {
  try {
    return await round();
  } catch (error) {
    if (!(error instanceof KafkaClientError)) throw error;
    return open.map(() => ({ error }));
  }
}

function adminError(failures: readonly FailedItem[]): AdminError {
  const [first] = failures as [FailedItem];
  const alike = failures.every(({ error }) => error.code === first.error.code);
  const names = failures.map(({ item }) => item).join(', ');
  return new AdminError(
    alike ? first.error.code : 'PARTIAL_FAILURE',
    failures.length === 1 ? first.error.message : `${names}: ${first.error.message}`,
    {
      retriable: failures.every(({ error }) => error.retriable),
      hint: alike ? first.error.hint : 'look at `failures`; what is not named there was done',
      cause: first.error,
      failures,
    },
  );
}

function leftOut(name: string): KafkaClientError {
  return new KafkaClientError('MALFORMED_RESPONSE', `the answer leaves ${name} out`, {
    retriable: false,
    hint: 'look whether it was done all the same',
  });
}
