/** From which version of Produce on. */

export const ZSTD_FROM = 7;
/** A wrong leader's answer names the right one. */
export const LEADER_HINT_FROM = 10;
