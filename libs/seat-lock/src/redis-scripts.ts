/**
 * The Lua scripts, one file for each transition. They are loaded when the lock starts, and run by their digest; a Redis
 * that has forgotten them (restart, failover) gets the text again with the call that finds out.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { seatLockError } from './seat-lock-error.ts';

const scriptNames = [
  'acquire',
  'complete',
  'mark-unknown',
  'release',
  'settle-sold',
  'settle-freed',
  'settle-refused',
  'restore-sold',
  'clear-sold',
] as const;

export type ScriptName = (typeof scriptNames)[number];

interface Script {
  readonly text: string;
  readonly digest: string;
}

const prelude = readLua('prelude');
const scripts = Object.fromEntries(scriptNames.map((name) => [name, readScript(name)])) as Readonly<
  Record<ScriptName, Script>
>;

export async function loadScripts(redis: Redis): Promise<void> {
  await Promise.all(Object.values(scripts).map((script) => redis.script('LOAD', script.text)));
}

/** Runs one script. Whatever goes wrong is a SeatLockError. */
export async function runScript(
  redis: Redis,
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  const { digest, text } = scripts[name];
  try {
    return await redis.evalsha(digest, keys.length, ...keys, ...values);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw seatLockError(error);
  }
  try {
    return await redis.eval(text, keys.length, ...keys, ...values);
  } catch (error) {
    throw seatLockError(error);
  }
}

function readScript(name: ScriptName): Script {
  const text = `${prelude}\n${readLua(name)}`;
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

function readLua(name: string): string {
  return readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), 'utf8');
}
