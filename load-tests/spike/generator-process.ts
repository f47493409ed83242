/**
 * Runs the generator as a process of its own, so that nothing that this process does (showing, asking for metrics,
 * auditing) makes buyers come late. It ends with its job, with the signal, and with this process.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { CommandError } from '../demo/command-error.ts';
import type { GeneratorJob, GeneratorMessage, GeneratorResult } from './generator-messages.ts';

export interface GeneratorListener {
  readonly onMessage: (message: GeneratorMessage) => void;
  readonly signal: AbortSignal;
}

export function runGenerator(job: GeneratorJob, listener: GeneratorListener): Promise<GeneratorResult> {
  const { onMessage, signal } = listener;
  signal.throwIfAborted();
  const child = fork(join(import.meta.dirname, 'generator-main.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<GeneratorResult>();
  const giveUp = (): void => {
    child.kill('SIGKILL');
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  child.on('message', (message) => {
    const told = message as GeneratorMessage;
    onMessage(told);
    if (told.kind === 'result') resolve(told.result);
    if (told.kind === 'failed') reject(new CommandError(`The generator failed: ${told.why}`));
  });
  child.once('error', reject);
  child.once('exit', (code, ended) => {
    reject(new CommandError(`The generator ended (${ended ?? `code ${code}`}) before its job was done`));
  });
  child.send(job, (error) => {
    if (error !== null) reject(error);
  });
  return promise.finally(() => signal.removeEventListener('abort', giveUp));
}
