/** The broker as a child process on free ports, with the settings that the benchmarks share. */
import { type Child, startChild } from './child.ts';

const MAIN = new URL('../../apps/broker/src/main.ts', import.meta.url).pathname;

/** `directory` holds the log directory; `settings` come on top of the shared ones. */
export function startBrokerProcess(
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const all = {
    listeners: 'PLAINTEXT://127.0.0.1:0',
    'log.dir': `${directory}/log`,
    'message.max.bytes': '4194304',
    'log.segment.delete.delay.ms': '0',
    'seatlog.log.level': 'info',
    ...settings,
  };
  const overrides = Object.entries(all).flatMap(([name, value]) => ['--override', `${name}=${value}`]);
  return startChild([MAIN, ...overrides], ({ listeners }) => {
    const [listener] = Array.isArray(listeners) ? listeners : [];
    return typeof listener === 'string' ? Number(listener.split(':').at(-1)) : null;
  });
}
