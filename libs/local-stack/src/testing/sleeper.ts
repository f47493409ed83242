/** A child that does nothing until it is told to stop; a deaf one does not stop then either. For tests. */
import { waitUntil } from '../deadline.ts';
import { ChildOfStack } from '../managed-process.ts';

export interface SleeperOptions {
  /** Default `sleeper`. */
  readonly name?: string;
  readonly deaf?: boolean;
  readonly stopWithinMs?: number;
}

export function startSleeper(dataDirectory: string, options: SleeperOptions = {}): Promise<ChildOfStack> {
  const { deaf = false, name = 'sleeper' } = options;
  const trap = deaf ? "process.on('SIGTERM', () => console.log('not now'));" : '';
  const child = new ChildOfStack({
    name,
    command: process.execPath,
    args: ['-e', `${trap} setInterval(() => undefined, 1_000); console.log('asleep');`],
    environment: { PATH: process.env['PATH'] },
    dataDirectory,
    ready: (self, signal) => waitUntil(() => Promise.resolve(self.logTail().includes('asleep')), signal),
    readyWithinMs: 60_000,
    ...(options.stopWithinMs === undefined ? {} : { stopWithinMs: options.stopWithinMs }),
  });
  return child.start();
}
