/**
 * A program: what an application makes of an environment, by the application's own reading of it and without starting it.
 *
 *     node configuration-probe.ts apps/<name> < environment.json
 *
 * The environment is an object on stdin; the answer is one line of JSON on stdout.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Probe {
  /** What is said against it; nothing if it is accepted as it is. */
  readonly complaints: readonly string[];
  /** Variables that the application does not know: misspelt ones, for instance. */
  readonly unknown: readonly string[];
  /** Variables without which it is refused. */
  readonly required: readonly string[];
}

type Environment = Readonly<Record<string, string>>;

interface Schema {
  readonly shape: object;
  safeParse(input: unknown): {
    readonly error?: {
      readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
    };
  };
}

interface BrokerConfigModules {
  readonly settingsFromEnvironment: (environment: Environment) => ReadonlyMap<string, string>;
  readonly loadConfig: (sources: { readonly environment: ReadonlyMap<string, string> }) => {
    readonly warnings: readonly string[];
  };
}

/** Processes are not imported by other projects, except by this program in a process of its own. */
const load = (app: string, file: string): Promise<unknown> =>
  import(pathToFileURL(path.resolve(app, 'src', file)).href);

async function probeTicketing(app: string, environment: Environment): Promise<Probe> {
  const { configurationSchema: schema } = (await load(app, 'configuration.ts')) as {
    readonly configurationSchema: Schema;
  };
  const issuesOf = (input: Environment) => schema.safeParse(input).error?.issues ?? [];
  return {
    complaints: issuesOf(environment).map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`),
    unknown: Object.keys(environment).filter((variable) => !Object.hasOwn(schema.shape, variable)),
    required: Object.keys(environment).filter(
      (variable) => issuesOf(without(environment, variable)).length > 0,
    ),
  };
}

async function probeBroker(app: string, environment: Environment): Promise<Probe> {
  const { settingsFromEnvironment, loadConfig } = {
    ...((await load(app, 'config/environment.ts')) as object),
    ...((await load(app, 'config/load.ts')) as object),
  } as BrokerConfigModules;
  const refusal = (input: Environment): string | null => {
    try {
      loadConfig({ environment: settingsFromEnvironment(input) });
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const refused = refusal(environment);
  const warnings =
    refused === null ? loadConfig({ environment: settingsFromEnvironment(environment) }).warnings : [];
  return {
    complaints: [...(refused === null ? [] : [refused]), ...warnings],
    unknown: Object.keys(environment).filter((variable) => !variable.startsWith('KAFKA_')),
    required: Object.keys(environment).filter((variable) => refusal(without(environment, variable)) !== null),
  };
}

function without(environment: Environment, variable: string): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name !== variable));
}

if (import.meta.main) {
  const [app = ''] = process.argv.slice(2);
  const environment = JSON.parse(readFileSync(0, 'utf8')) as Environment;
  const probe = app === 'apps/broker' ? probeBroker : probeTicketing;
  process.stdout.write(`${JSON.stringify(await probe(app, environment))}\n`);
}
