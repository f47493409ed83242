/**
 * A pool whose connections can die of silence. To `pg` a statement that was not answered in time is over, and the connection
 * as good as before: it goes back to the pool, and whoever gets it next waits as long again, until TCP gives the machine up
 * after a quarter of an hour. Here such a connection is closed, and the next statement runs on another one.
 */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';

/** What `pg` says when a statement is not answered in time. */
const READ_TIMEOUT = 'Query read timeout';

export class MortalPool implements PostgresPool {
  readonly #pool: PostgresPool;
  /** One each, so that Kysely knows a connection again. */
  readonly #clients = new WeakMap<PostgresPoolClient, MortalClient>();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  get options(): object {
    return this.#pool.options;
  }

  async connect(): Promise<PostgresPoolClient> {
    const connection = await this.#pool.connect();
    const known = this.#clients.get(connection);
    if (known !== undefined) return known;
    const client = new MortalClient(connection);
    this.#clients.set(connection, client);
    return client;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

class MortalClient implements PostgresPoolClient {
  readonly #connection: PostgresPoolClient;
  #isDead = false;

  constructor(connection: PostgresPoolClient) {
    this.#connection = connection;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    statement: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    return typeof statement === 'string'
      ? this.#run(statement, parameters)
      : this.#connection.query(statement);
  }

  release(destroy = false): void {
    this.#connection.release(destroy || this.#isDead);
  }

  async #run<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // The rollback that follows a statement without an answer is not waited for as well.
    if (this.#isDead) throw new Error('Connection terminated: it was silent for too long');
    try {
      return await this.#connection.query<R>(sql, parameters);
    } catch (error) {
      this.#isDead = error instanceof Error && error.message === READ_TIMEOUT;
      throw error;
    }
  }
}
