/** Bounds of the domain; whatever takes input checks against these and names them in its refusal. */
export const SEATS_PER_ORDER = 6;
export const USER_ID_LENGTH = 64;
export const IDEMPOTENCY_KEY_LENGTH = 128;
