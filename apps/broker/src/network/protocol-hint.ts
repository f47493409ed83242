/** What a peer seems to speak whose first four bytes are no frame size: a hint for whoever reads the log. */
const httpMethods: readonly string[] = [
  'GET ',
  'PUT ',
  'POST',
  'HEAD',
  'DELE',
  'OPTI',
  'PATC',
  'PRI ',
  'CONN',
];

const TLS_HANDSHAKE = 0x16;
const TLS_MAJOR_VERSION = 0x03;

export function protocolHint(firstBytes: number): string | null {
  const bytes = [24, 16, 8, 0].map((shift) => (firstBytes >>> shift) & 0xff);
  const text = String.fromCharCode(...bytes);
  if (httpMethods.includes(text)) {
    return 'This looks like an HTTP request; metrics and health are on seatlog.http.listener.';
  }
  if (bytes[0] === TLS_HANDSHAKE && bytes[1] === TLS_MAJOR_VERSION) {
    return 'This looks like a TLS hello; this listener is PLAINTEXT.';
  }
  return null;
}
