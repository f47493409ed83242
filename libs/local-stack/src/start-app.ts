/** One of the ticketing applications as a child process: `node apps/<name>/dist/main.js`, compiled beforehand. */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { childEnvironment } from './child-environment.ts';
import { waitUntil } from './deadline.ts';
import { portOrFree } from './free-port.ts';
import { answersOk } from './http-probe.ts';
import { LocalStackError } from './local-stack-error.ts';
import { ChildOfStack, type ManagedProcess } from './managed-process.ts';
import { endLeftovers } from './process-file.ts';
import { repositoryRoot } from './repository.ts';

export const APP_START_DEADLINE_MS = 60_000;

export interface AppOptions {
  /** The folder below apps/. */
  readonly app: string;
  /** The name of the process, for a second instance of an app. Default: the app's. */
  readonly name?: string;
  readonly dataDirectory: string;
  /** BROKERS, DATABASE_URL and so on. HTTP_HOST and HTTP_PORT are added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly port?: number;
  readonly signal?: AbortSignal;
}

export interface AppServer extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly process: ManagedProcess;
  stop(): Promise<void>;
}

/** Where an app's compiled program lies. */
export function appProgram(app: string): string {
  return join(repositoryRoot, 'apps', app, 'dist/main.js');
}

export async function startApp(options: AppOptions): Promise<AppServer> {
  const { app, name = app } = options;
  const dataDirectory = resolve(options.dataDirectory);
  const program = appProgram(app);
  if (!existsSync(program)) {
    throw new LocalStackError('APP_NOT_BUILT', `${app} has not been built: there is no ${program}`, {
      hint: 'Run npm run build.',
    });
  }
  mkdirSync(dataDirectory, { recursive: true });
  await endLeftovers(dataDirectory, name);
  const port = await portOrFree(options.port, name);
  const url = `http://127.0.0.1:${port}`;
  const child = new ChildOfStack({
    name,
    command: process.execPath,
    args: ['--enable-source-maps', program],
    environment: childEnvironment({
      NODE_ENV: 'production',
      ...options.environment,
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: String(port),
    }),
    dataDirectory,
    ready: (_, signal) => waitUntil(() => answersOk(`${url}/health/ready`, signal), signal),
    readyWithinMs: APP_START_DEADLINE_MS,
  });
  await child.start(options.signal);
  const stop = async (): Promise<void> => void (await child.stop());
  return { name, url, process: child, stop, [Symbol.asyncDispose]: stop };
}
