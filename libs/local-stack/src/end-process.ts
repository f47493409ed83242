/** Ending a process that is not our child: there is no exit event, so its identity is asked for until it is gone. */
import { waitUntil } from './deadline.ts';
import { LocalStackError } from './local-stack-error.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

/** How long a leftover may take to stop by itself, and then to vanish once killed. */
export const LEFTOVER_STOP_MS = 30_000;
export const LEFTOVER_KILL_MS = 30_000;

export async function endProcess(identity: ProcessIdentity, stopSignal: NodeJS.Signals): Promise<void> {
  send(identity, stopSignal);
  send(identity, 'SIGCONT');
  if (await gone(identity, LEFTOVER_STOP_MS)) return;
  send(identity, 'SIGKILL');
  if (await gone(identity, LEFTOVER_KILL_MS)) return;
  throw new LocalStackError('DID_NOT_STOP', `Process ${identity.pid} of an earlier run does not end`, {
    hint: `End it by hand: kill -9 ${identity.pid}`,
  });
}

/** Never signals a process that merely has the same pid. */
function send(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch {
    // It ended between the two calls, or is another user's: the wait after this tells which.
  }
}

async function gone(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  try {
    await waitUntil(() => Promise.resolve(!isAlive(identity)), AbortSignal.timeout(withinMs));
    return true;
  } catch {
    return false;
  }
}
