/** One transaction at READ COMMITTED, run again a few times after a deadlock or a concurrent change. */
import type { Transaction } from 'kysely';
import type { BookingDatabase } from './database.ts';
import { isConflict } from './database-error.ts';
import type { Schema } from './schema.ts';

export type BookingTransaction = Transaction<Schema>;

export const TRANSACTION_ATTEMPTS = 5;

/** `work` may run more than once, and must do nothing but statements on its transaction. */
export async function inTransaction<T>(
  database: BookingDatabase,
  work: (transaction: BookingTransaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction().setIsolationLevel('read committed').execute(work);
    } catch (error) {
      if (attempt === TRANSACTION_ATTEMPTS || !isConflict(error)) throw error;
    }
  }
}
