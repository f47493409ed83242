/** Where commits that left something in the outbox are announced. */
export const OUTBOX_CHANNEL = 'seatlog_outbox';
