/** A configuration that cannot be used. `key` is the setting to change. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly key: string;

  constructor(key: string, problem: string) {
    super(`${key}: ${problem}`);
    this.name = 'ConfigError';
    this.key = key;
  }
}
