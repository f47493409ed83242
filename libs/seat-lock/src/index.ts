/** Seat locks in Redis, one Lua script for each transition. Redis filters; the database decides. */
export { SeatLock, type SeatLockOptions } from './seat-lock.ts';
export { COMMAND_TIMEOUT_MS, type RedisConnectionOptions } from './redis-connection.ts';
export { SeatLockError, type SeatLockErrorCode } from './seat-lock-error.ts';
export type { SeatState } from './seat-value.ts';
export type {
  AcquireRequest,
  AcquireResult,
  Attempt,
  ReconcileReport,
  SettleResult,
  SoldSeat,
  TakenSeat,
} from './types.ts';
