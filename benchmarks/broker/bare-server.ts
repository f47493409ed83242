/**
 * The floors of a broker, as a child process. What it does with the bytes it receives stands in its first argument:
 *
 *     receive   nothing
 *     crc       CRC-32C of pieces of the batch size
 *     write     the same, and one write to a file per read event
 *     send      each request of the given size is answered from memory, by turns from several buffers, as many as a
 *               consumer that reads a topic sees, so that no cache of the processor holds them all
 *
 * In the first three it gives one byte back for each `total` bytes received.
 */
import { closeSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { createServer, type Server, Socket, type SocketConstructorOpts } from 'node:net';
import { crc32c } from '@seatlog/kafka-protocol';

const [mode = 'receive', pieceText = '1024', totalText = '1', path = ''] = process.argv.slice(2);
const pieceBytes = Number(pieceText);
const total = Number(totalText);
const memory = Buffer.allocUnsafeSlow(64 * 1024);
const ANSWERS = 16;
/** Few dirty pages: beyond some hundreds of MiB the kernel slows every writer down, whoever it is. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;

let checksums = 0;

function checksum(bytes: Uint8Array): void {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    checksums ^= crc32c(bytes.subarray(start, Math.min(bytes.length, start + pieceBytes)));
  }
}

function receiver(): (socket: Socket, bytes: Uint8Array) => void {
  const file = mode === 'write' ? openSync(path, 'w') : -1;
  let received = 0;
  let position = 0;
  if (file >= 0) {
    process.on('exit', () => {
      closeSync(file);
      unlinkSync(path);
    });
  }
  return (socket, bytes) => {
    if (mode !== 'receive') checksum(bytes);
    if (file >= 0) {
      writeSync(file, bytes, 0, bytes.length, position);
      position += bytes.length;
      if (position > MAX_FILE_BYTES) {
        ftruncateSync(file, 0);
        position = 0;
      }
    }
    received += bytes.length;
    while (received >= total) {
      received -= total;
      socket.write(Uint8Array.of(checksums & 1));
    }
  };
}

function sender(): (socket: Socket, bytes: Uint8Array) => void {
  const answers = Array.from({ length: ANSWERS }, () => Buffer.alloc(total, 1));
  let received = 0;
  let turn = 0;
  return (socket, bytes) => {
    received += bytes.length;
    while (received >= pieceBytes) {
      received -= pieceBytes;
      const answer = answers[turn++ % ANSWERS];
      if (answer !== undefined) socket.write(answer);
    }
  };
}

const handle = mode === 'send' ? sender() : receiver();

const server: Server = createServer({ pauseOnConnect: true, noDelay: true }, (accepted) => {
  // As the broker receives: into memory of its own.
  const options = {
    handle: (accepted as unknown as { readonly _handle: unknown })._handle,
    onread: {
      buffer: memory,
      callback: (length: number, buffer: Uint8Array) => {
        handle(socket, buffer.subarray(0, length));
        return true;
      },
    },
  };
  const socket = new Socket(options as unknown as SocketConstructorOpts);
  socket.on('error', () => {});
  socket.resume();
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
