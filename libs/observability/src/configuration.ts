/**
 * Reads a process's configuration from its environment, once, at start. What is wrong is refused with the name of each
 * field and what it should be; values are never printed, since some are secrets.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code = 'CONFIGURATION_INVALID';
  /** Names of the fields that were refused. */
  readonly fields: readonly string[];

  constructor(fields: readonly string[], message: string) {
    super(message);
    this.fields = fields;
  }
}

/** What is asked of a schema; zod's have it. */
export interface EnvironmentSchema<T> {
  safeParse(input: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
        };
      };
}

/** An empty variable counts as absent, as shells and compose files mean it. The result is frozen. */
export function readConfiguration<T extends object>(
  schema: EnvironmentSchema<T>,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<T> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(given);
  if (result.success) return Object.freeze(result.data);
  const complaints = result.error.issues.map((issue) => ({
    field: issue.path.map(String).join('.') || '(environment)',
    message: issue.message,
  }));
  throw new ConfigurationError(
    [...new Set(complaints.map(({ field }) => field))],
    complaints.map(({ field, message }) => `${field}: ${message}`).join('; '),
  );
}
