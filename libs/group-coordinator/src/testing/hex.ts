/** Bytes as a hex dump shows them; blanks set the fields apart. */
export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(compact(text), 'hex'));

/** A dump without its blanks, to compare with. */
export const compact = (text: string): string => text.replaceAll(/\s/g, '');

export const dump = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : Buffer.from(bytes).toString('hex');
