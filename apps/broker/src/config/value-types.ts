/**
 * Types of config values: how the text of a properties file becomes a value, and what is refused. Numbers that do
 * not fit 2^53 - 1 (Kafka's Long.MAX_VALUE as "never") become `Number.MAX_SAFE_INTEGER`; the text is kept elsewhere.
 */
export type ConfigTypeName = 'boolean' | 'string' | 'int' | 'short' | 'long' | 'double' | 'list' | 'password';

export interface ConfigDefinition<Value> {
  readonly type: ConfigTypeName;
  /** The default as text, null for "unset". */
  readonly defaultText: string | null;
  readonly defaultValue: Value;
  /** Gives the value, or a sentence that says what is wrong with the text. */
  readonly parse: (text: string) => { readonly value: Value } | { readonly problem: string };
  /** Keys that stand in for this one when it is not given, strongest first (`log.retention.minutes`). */
  readonly synonyms: readonly string[];
  readonly documentation: string;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

const INT_MAX = 2_147_483_647;
const LONG_MAX_TEXT = '9223372036854775807';
/** What "never" and "unlimited" become: larger than any offset, size or time. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

function parseWhole(text: string, min: number, max: number): { value: number } | { problem: string } {
  if (!/^[+-]?\d+$/.test(text)) return { problem: `'${text}' is not a whole number` };
  const value = Math.min(Number(text), UNLIMITED);
  if (value < min) return { problem: `${text} is less than ${min}` };
  if (value > max) return { problem: `${text} is greater than ${max}` };
  return { value };
}

function whole(
  type: 'int' | 'short' | 'long',
  defaultText: string,
  bounds: Bounds,
  documentation: string,
  synonyms: readonly string[],
): ConfigDefinition<number> {
  const max = bounds.max ?? (type === 'long' ? UNLIMITED : type === 'int' ? INT_MAX : 32_767);
  const min = bounds.min ?? -max - (type === 'long' ? 0 : 1);
  return {
    type,
    defaultText,
    defaultValue: Math.min(Number(defaultText), UNLIMITED),
    parse: (text) => parseWhole(text, min, max),
    synonyms,
    documentation,
  };
}

export const int = (value: number, bounds: Bounds, documentation: string): ConfigDefinition<number> =>
  whole('int', String(value), bounds, documentation, []);

export const short = (value: number, bounds: Bounds, documentation: string): ConfigDefinition<number> =>
  whole('short', String(value), bounds, documentation, []);

export const long = (value: number, bounds: Bounds, documentation: string): ConfigDefinition<number> =>
  whole('long', value >= UNLIMITED ? LONG_MAX_TEXT : String(value), bounds, documentation, []);

/** A whole number that may be unset; `synonyms` then say what is in force. */
export function optionalLong(
  bounds: Bounds,
  documentation: string,
  synonyms: readonly string[] = [],
): ConfigDefinition<number | null> {
  return { ...long(0, bounds, documentation), defaultText: null, defaultValue: null, synonyms };
}

export function optionalInt(bounds: Bounds, documentation: string): ConfigDefinition<number | null> {
  return { ...int(0, bounds, documentation), defaultText: null, defaultValue: null };
}

export function double(value: number, bounds: Bounds, documentation: string): ConfigDefinition<number> {
  return {
    type: 'double',
    defaultText: String(value),
    defaultValue: value,
    parse: (text) => {
      const parsed = Number(text);
      if (text.trim() === '' || !Number.isFinite(parsed)) return { problem: `'${text}' is not a number` };
      if (bounds.min !== undefined && parsed < bounds.min)
        return { problem: `${text} is less than ${bounds.min}` };
      if (bounds.max !== undefined && parsed > bounds.max) {
        return { problem: `${text} is greater than ${bounds.max}` };
      }
      return { value: parsed };
    },
    synonyms: [],
    documentation,
  };
}

export function boolean(value: boolean, documentation: string): ConfigDefinition<boolean> {
  return {
    type: 'boolean',
    defaultText: String(value),
    defaultValue: value,
    parse: (text) => {
      const lower = text.toLowerCase();
      if (lower === 'true') return { value: true };
      if (lower === 'false') return { value: false };
      return { problem: `'${text}' is neither true nor false` };
    },
    synonyms: [],
    documentation,
  };
}

export function string(value: string, documentation: string): ConfigDefinition<string> {
  return {
    type: 'string',
    defaultText: value,
    defaultValue: value,
    parse: (text) => ({ value: text }),
    synonyms: [],
    documentation,
  };
}

export function optionalString(documentation: string): ConfigDefinition<string | null> {
  return {
    type: 'string',
    defaultText: null,
    defaultValue: null,
    parse: (text) => ({ value: text }),
    synonyms: [],
    documentation,
  };
}

/** One of a closed set of words. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  value: Word,
  documentation: string,
): ConfigDefinition<Word> {
  return {
    type: 'string',
    defaultText: value,
    defaultValue: value,
    parse: (text) => {
      const word = words.find((candidate) => candidate === text);
      return word === undefined ? { problem: `'${text}' is none of ${words.join(', ')}` } : { value: word };
    },
    synonyms: [],
    documentation,
  };
}

/** Comma-separated words, blanks around them dropped. With `words`, each must be one of them. */
export function list<const Word extends string>(
  value: readonly Word[],
  documentation: string,
  words?: readonly Word[],
): ConfigDefinition<readonly Word[]> {
  return {
    type: 'list',
    defaultText: value.join(','),
    defaultValue: value,
    parse: (text) => {
      const parts = text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      const stranger = words && parts.find((part) => !words.some((word) => word === part));
      if (stranger !== undefined) return { problem: `'${stranger}' is none of ${words?.join(', ')}` };
      // Checked against `words` above; without them every string is a Word.
      return { value: parts as Word[] };
    },
    synonyms: [],
    documentation,
  };
}
