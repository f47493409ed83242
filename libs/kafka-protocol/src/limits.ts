/**
 * Every bound that decoding enforces by itself. None is configurable: they are far above what honest peers send,
 * and low enough that no frame makes the process allocate out of proportion to its own size.
 */

/** Elements that are objects or strings, summed over one message: an empty one is one byte on the wire and dozens in memory. */
export const MAX_ELEMENTS_PER_MESSAGE = 1_000_000;

/** Tagged fields in one structure, known and unknown. Kafka's own structures have at most five. */
export const MAX_TAGS_PER_STRUCT = 256;

/** Bytes of a 64-bit varint. */
export const MAX_VARLONG_BYTES = 10;

/** A string without the compact form has a 16-bit length; the compact form is held to the same bound. */
export const MAX_STRING_BYTES = 32_767;

/** `socket.request.max.bytes` of a Kafka broker: the default bound of a frame. */
export const DEFAULT_MAX_FRAME_BYTES = 104_857_600;

/** A frame up to this size gets its whole buffer when its size is known; a larger one grows as its bytes arrive. */
export const EAGER_FRAME_BYTES = 2 * 1024 * 1024;
