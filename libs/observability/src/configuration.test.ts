import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfiguration, type EnvironmentSchema } from './configuration.ts';

const portSchema: EnvironmentSchema<{ readonly HTTP_PORT: number }> = {
  safeParse(input) {
    const port = Number((input as Record<string, string>)['HTTP_PORT']);
    return Number.isInteger(port)
      ? { success: true, data: { HTTP_PORT: port } }
      : {
          success: false,
          error: { issues: [{ path: ['HTTP_PORT'], message: 'must be a port' }] },
        };
  },
};

describe('a configuration', () => {
  it('is read and frozen', () => {
    const configuration = readConfiguration(portSchema, { HTTP_PORT: '8080' });
    expect(configuration).toEqual({ HTTP_PORT: 8080 });
    expect(Object.isFrozen(configuration)).toBe(true);
  });

  it('is refused with the name of the field and without its value', () => {
    const refused = () => readConfiguration(portSchema, { HTTP_PORT: 'hunter2' });
    expect(refused).toThrow(ConfigurationError);
    expect(refused).toThrow('HTTP_PORT: must be a port');
    expect(refused).not.toThrow('hunter2');
  });

  it('takes an empty variable as absent', () => {
    expect(() => readConfiguration(portSchema, { HTTP_PORT: '' })).toThrow('HTTP_PORT');
  });
});
