import { type FileSystem, FileSystemError } from '@seatlog/runtime';

const FILE_NAME = 'partition.metadata';

/** The topic's id that the partition was made for; null when the file is missing or garbled. */
export function readTopicId(files: FileSystem, directory: string): string | null {
  try {
    const text = new TextDecoder().decode(files.readFile(`${directory}/${FILE_NAME}`));
    return /^version: 0\ntopic_id: ([A-Za-z0-9_-]{22})\n?$/.exec(text)?.[1] ?? null;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Written when the partition is made, and never changed. */
export function writeTopicId(files: FileSystem, directory: string, topicId: string): void {
  const file = files.open(`${directory}/${FILE_NAME}`, 'create');
  try {
    file.writeNow([new TextEncoder().encode(`version: 0\ntopic_id: ${topicId}\n`)], 0);
  } finally {
    file.close();
  }
}
