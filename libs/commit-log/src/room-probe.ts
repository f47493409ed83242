/**
 * Whether a disk has room, found out in the only way that is sure: by writing. What is written lies beside the log for
 * as long as that takes; a crash leaves a file that the next start removes, as it does all that end so.
 */
import type { FileHandle, FileSystem } from '@seatlog/runtime';
import { asLogFailure } from './log-failure.ts';
import type { FlushCompletion } from './partition-log.ts';

/** More than most appends are. */
const PROBE = new Uint8Array(64 * 1024);

export function probeRoom(files: FileSystem, directory: string, done: FlushCompletion): void {
  const path = `${directory}/room.tmp`;
  let file: FileHandle;
  try {
    file = files.open(path, 'create');
  } catch (cause) {
    return done(asLogFailure(cause));
  }
  return file.write([PROBE], 0, (error) => {
    file.close();
    // What is left of it if it cannot be removed, the next one writes over.
    files.unlinkInBackground(path, () => done(error === null ? null : asLogFailure(error)));
  });
}
