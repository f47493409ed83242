// A lock between processes, as a folder that holds the owner's process id.
//
// withLock(folder, action) runs the action with the lock held and always gives it back. A lock whose owner no longer
// runs is taken over. It waits at most WAIT_LIMIT_MS, then fails naming the folder, so that a person can look.
import fs from 'node:fs';
import path from 'node:path';

const WAIT_LIMIT_MS = 10 * 60_000;
const PAUSE_MS = 200;

export function withLock(folder, action) {
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  const deadline = Date.now() + WAIT_LIMIT_MS;
  while (!acquire(folder)) {
    if (Date.now() > deadline)
      throw new Error(
        `Waited ${WAIT_LIMIT_MS / 60_000} minutes for the lock ${folder}. Remove it if nothing runs.`,
      );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  try {
    return action();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function acquire(folder) {
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isStale(folder)) fs.rmSync(folder, { recursive: true, force: true });
    return false;
  }
  fs.writeFileSync(path.join(folder, 'pid'), String(process.pid));
  return true;
}

function isStale(folder) {
  let owner;
  try {
    owner = Number.parseInt(fs.readFileSync(path.join(folder, 'pid'), 'utf8'), 10);
  } catch {
    // Between the folder's making and the writing of its pid; a crash in that instant leaves it without one for good.
    const made = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && Date.now() - made > 5_000;
  }
  try {
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
