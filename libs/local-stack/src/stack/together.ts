/**
 * Waits for all, also when one fails: nothing that was begun is left behind unseen. Rejects with the first failure,
 * after `onFirstFailure` had the chance to make the others give up.
 */
export async function together(
  promises: readonly Promise<unknown>[],
  onFirstFailure: (error: unknown) => void,
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const results = await Promise.all(
    promises.map((promise) =>
      promise.catch((error: unknown) => {
        failures.push(error);
        if (failures.length === 1) onFirstFailure(error);
        return undefined;
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
  return results;
}
