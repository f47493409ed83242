import { describe, expect, it } from 'vitest';
import { chooseTestServices } from './choice.ts';

const engine = (): Promise<null> => Promise.resolve(null);
const noEngine = (): Promise<string> => Promise.resolve('no socket');
const unasked = (): Promise<never> => Promise.reject(new Error('the engine must not be asked'));
const external = { DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://y' };

describe('TEST_SERVICES', () => {
  it('auto takes containers where an engine answers, else embedded servers, and says why', async () => {
    expect(await chooseTestServices({}, engine)).toMatchObject({ kind: 'containers' });
    expect(await chooseTestServices({ TEST_SERVICES: 'auto' }, noEngine)).toEqual({
      kind: 'embedded',
      reason: 'no container engine: no socket',
    });
  });

  it('auto never touches servers that DATABASE_URL and REDIS_URL name', async () => {
    expect(await chooseTestServices(external, noEngine)).toMatchObject({ kind: 'embedded' });
  });

  it('embedded does not ask for an engine', async () => {
    expect(await chooseTestServices({ TEST_SERVICES: 'embedded' }, unasked)).toMatchObject({
      kind: 'embedded',
    });
  });

  it('containers without an engine is refused, with what to do', async () => {
    await expect(chooseTestServices({ TEST_SERVICES: 'containers' }, noEngine)).rejects.toMatchObject({
      code: 'NO_CONTAINER_ENGINE',
      hint: expect.stringContaining('TEST_SERVICES=embedded'),
    });
  });

  it('external needs both addresses and names the one that is missing', async () => {
    const wanted = { TEST_SERVICES: 'external' };
    expect(await chooseTestServices({ ...wanted, ...external }, unasked)).toMatchObject({ kind: 'external' });
    await expect(
      chooseTestServices({ ...wanted, DATABASE_URL: external.DATABASE_URL }, unasked),
    ).rejects.toMatchObject({ code: 'TEST_SERVICES_INVALID', what: expect.stringContaining('REDIS_URL') });
    await expect(chooseTestServices(wanted, unasked)).rejects.toMatchObject({
      what: expect.stringContaining('DATABASE_URL'),
    });
  });

  it('refuses a word that it does not know', async () => {
    await expect(chooseTestServices({ TEST_SERVICES: 'cloud' }, unasked)).rejects.toMatchObject({
      code: 'TEST_SERVICES_INVALID',
    });
  });
});
