/** How many brokers, and where the data lies. Layouts have folders of their own: growth is never a surprise. */
import { resolve } from 'node:path';
import { layoutDirectory } from '../repository.ts';
import type { StackOptions } from './stack-types.ts';

export interface Layout {
  readonly brokers: number;
  readonly dataDirectory: string;
}

export function layoutOf(options: Pick<StackOptions, 'layout' | 'dataDirectory' | 'brokers'>): Layout {
  const brokers = options.brokers ?? 1;
  const name = options.layout ?? (brokers === 1 ? 'one-node' : `${brokers}-nodes`);
  return { brokers, dataDirectory: resolve(options.dataDirectory ?? layoutDirectory(name)) };
}
