import { type FileSystem, FileSystemError } from '@seatlog/runtime';

/**
 * Kafka's `.kafka_cleanshutdown`: written last at a clean stop, taken away before anything is loaded. It carries the
 * broker epoch of the run that ended.
 */
export interface CleanShutdown {
  /** -1 when the marker does not tell. */
  readonly brokerEpoch: number;
}

const FILE_NAME = '.kafka_cleanshutdown';

/** Null when the last run did not stop cleanly. */
export function takeCleanShutdownMarker(files: FileSystem, directory: string): CleanShutdown | null {
  let bytes: Uint8Array;
  try {
    bytes = files.readFile(`${directory}/${FILE_NAME}`);
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return null;
    throw error;
  }
  files.unlink(`${directory}/${FILE_NAME}`);
  files.syncDirectory(directory);
  return { brokerEpoch: parseBrokerEpoch(new TextDecoder().decode(bytes)) };
}

export function writeCleanShutdownMarker(
  files: FileSystem,
  directory: string,
  shutdown: CleanShutdown,
): void {
  const text = JSON.stringify({ version: 0, brokerEpoch: shutdown.brokerEpoch });
  files.replaceFile(`${directory}/${FILE_NAME}`, new TextEncoder().encode(text));
}

function parseBrokerEpoch(text: string): number {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('brokerEpoch' in parsed)) return -1;
    return typeof parsed.brokerEpoch === 'number' ? parsed.brokerEpoch : -1;
  } catch {
    // Older brokers leave the file empty.
    return -1;
  }
}
