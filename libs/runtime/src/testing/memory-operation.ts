import { FileSystemError } from '../file-system.ts';

/** One change asked of the disk, as a fault is chosen for it. */
export interface MemoryOperation {
  readonly name:
    | 'write'
    | 'truncate'
    | 'sync'
    | 'create'
    | 'rename'
    | 'unlink'
    | 'mkdir'
    | 'rmdir'
    | 'syncDirectory'
    | 'read';
  readonly path: string;
  /** Bytes to be written or read; 0 for other operations. */
  readonly bytes: number;
}

/** How an operation fails. For a write, `written` bytes reach the file before it does. */
export interface MemoryFault {
  readonly code: 'EIO' | 'ENOSPC' | 'EMFILE' | 'EACCES';
  readonly written?: number;
}

export function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.length, 0));
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
}

export function poweredOff(operation: string, path: string): FileSystemError {
  return new FileSystemError('EPOWEROFF', operation, path, 'the machine is off');
}
