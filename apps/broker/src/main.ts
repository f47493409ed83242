/**
 * A node as a command. SIGTERM and SIGINT stop it in order, exit code 0. It stops as well when the process named by
 * SEATLOG_PARENT_PID is gone. Exit code 1: it could not start, could not go on, or did not stop within its deadline; 2:
 * its arguments or its configuration are wrong.
 */
import { existsSync, readFileSync } from 'node:fs';
import { systemClock, systemTimers } from '@seatlog/runtime';
import { CommandLineError, parseCommandLine, usage } from './command-line.ts';
import { ConfigError } from './config/config-error.ts';
import { settingsFromEnvironment } from './config/environment.ts';
import { type LoadedConfig, loadConfig } from './config/load.ts';
import { parseProperties } from './config/properties-file.ts';
import { createLogger, type Logger } from './logger.ts';
import { connectionsWithin, parseOpenFilesLimit } from './network/descriptor-limit.ts';
import { startNode } from './node.ts';
import { type RunningNode, StartGivenUp } from './node-options.ts';
import { isProcessAlive, watchParent } from './parent-watch.ts';

const PROCESS_LIMITS = '/proc/self/limits';
/** A stop that takes longer than this is given up. */
const STOP_DEADLINE_MS = 30_000;

function loadSettings(): LoadedConfig | null {
  const commandLine = parseCommandLine(process.argv.slice(2));
  if (commandLine.help) return null;
  return loadConfig({
    ...(commandLine.configFile === null
      ? {}
      : { file: parseProperties(readFileSync(commandLine.configFile, 'utf8')) }),
    environment: settingsFromEnvironment(process.env),
    overrides: commandLine.overrides,
  });
}

function settingsOrExit(): LoadedConfig {
  try {
    const loaded = loadSettings();
    if (loaded !== null) return loaded;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    const isExpected =
      error instanceof ConfigError || error instanceof CommandLineError || isMissingFile(error);
    if (!isExpected) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
}

function connectionLimit(): number {
  const limit = existsSync(PROCESS_LIMITS) ? parseOpenFilesLimit(readFileSync(PROCESS_LIMITS, 'utf8')) : null;
  return connectionsWithin(limit);
}

/** What is broken beyond one partition ends the process: a supervisor starts it again, and recovery sorts it out. */
function endOnUnexpected(log: Logger): (error: unknown) => void {
  return (error) => {
    log.error('The node cannot go on', { error });
    process.exit(1);
  };
}

/** Stops the node when asked to; a start that is under way is given up. */
class StopRequests {
  readonly #log: Logger;
  readonly #startSignal = new AbortController();
  #node: RunningNode | null = null;
  #reason: string | null = null;

  constructor(log: Logger) {
    this.#log = log;
    process.on('SIGTERM', () => this.#ask('SIGTERM'));
    process.on('SIGINT', () => this.#ask('SIGINT'));
    const parentId = Number(process.env['SEATLOG_PARENT_PID'] ?? Number.NaN);
    if (!Number.isInteger(parentId) || parentId <= 0) return;
    const gone = (): void => this.#ask(`the parent process ${parentId} is gone`);
    watchParent({ parentId, timers: systemTimers, isAlive: isProcessAlive, gone });
  }

  get startSignal(): AbortSignal {
    return this.#startSignal.signal;
  }

  started(node: RunningNode): void {
    this.#node = node;
    if (this.#reason !== null) this.#stop(node);
  }

  #ask(reason: string): void {
    // Ctrl-C reaches a whole process group, and whoever started this process asks as well: once is enough.
    if (this.#reason !== null) return;
    this.#log.info('Asked to stop', { reason });
    this.#reason = reason;
    this.#startSignal.abort();
    if (this.#node !== null) this.#stop(this.#node);
  }

  #stop(node: RunningNode): void {
    setTimeout(() => {
      this.#log.error('The node did not stop in time', { deadlineMs: STOP_DEADLINE_MS });
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    node.stop().then(() => process.exit(0), endOnUnexpected(this.#log));
  }
}

const { config, warnings } = settingsOrExit();
// Whoever read the log is gone: not a reason to die of a broken pipe.
process.stdout.on('error', () => {});
const log = createLogger(systemClock, config.values['seatlog.log.level'], (line) =>
  process.stdout.write(line),
);
for (const warning of warnings) log.warn(warning);
const endUnexpectedly = endOnUnexpected(log);
process.on('uncaughtException', endUnexpectedly);
process.on('unhandledRejection', endUnexpectedly);
const stopRequests = new StopRequests(log);
try {
  const node = await startNode({
    config,
    log,
    connectionsWithinDescriptors: connectionLimit(),
    onFatal: endUnexpectedly,
    startSignal: stopRequests.startSignal,
  });
  stopRequests.started(node);
} catch (error) {
  if (error instanceof StartGivenUp) {
    log.info(error.message);
    process.exit(0);
  }
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  log.error('The node could not start', { error });
  process.exit(1);
}
