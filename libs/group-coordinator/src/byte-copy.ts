/** Bytes of their own. `slice` would not do: that of a Buffer is a view of the same memory. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
