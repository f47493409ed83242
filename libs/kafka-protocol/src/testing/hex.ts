/**
 * Bytes written as hex with the breakdown beside them: what follows `#` on a line is a remark.
 *
 *     hex(`
 *       0012  # api key 18
 *       0003  # version 3
 *     `)
 */
export function hex(text: string): Uint8Array {
  const digits = text.replaceAll(/#.*$/gm, '').replaceAll(/\s+/g, '');
  if (!/^([0-9a-f]{2})*$/.test(digits)) throw new TypeError('not whole bytes of hex');
  return Buffer.from(digits, 'hex');
}

export function toHex(...chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString('hex');
}
