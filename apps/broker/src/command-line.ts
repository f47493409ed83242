/** The arguments of `main.ts`: `--config file`, any number of `--override key=value`, `--help`. */
export interface CommandLine {
  readonly configFile: string | null;
  readonly overrides: ReadonlyMap<string, string>;
  readonly help: boolean;
}

export const usage = `Usage: node apps/broker/src/main.ts [--config server.properties] [--override key=value]...

KAFKA_* variables override the file, overrides override both. Settings have Kafka's names.
`;

export class CommandLineError extends Error {
  readonly code = 'COMMAND_LINE_INVALID';
}

export function parseCommandLine(commandArguments: readonly string[]): CommandLine {
  let configFile: string | null = null;
  let help = false;
  const overrides = new Map<string, string>();
  const rest = [...commandArguments];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [, name = argument, inline] = /^(--[a-z-]+)=(.*)$/s.exec(argument) ?? [];
    const value = (): string => {
      const given = inline ?? rest.shift();
      if (given === undefined) throw new CommandLineError(`${name} needs a value`);
      return given;
    };
    switch (name) {
      case '--config':
        configFile = value();
        break;
      case '--override': {
        const [, key, text] = /^([^=]+)=(.*)$/s.exec(value()) ?? [];
        if (key === undefined || text === undefined) throw new CommandLineError('--override needs key=value');
        overrides.set(key.trim(), text);
        break;
      }
      case '--help':
      case '-h':
        help = true;
        break;
      default:
        throw new CommandLineError(`unknown argument ${argument}`);
    }
  }
  return { configFile, overrides, help };
}
