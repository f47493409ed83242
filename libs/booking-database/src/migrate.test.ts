import { testServices, type TestServices } from '@seatlog/local-stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, readMigrations, type Migration } from './migrate.ts';

describe('migrations', () => {
  let services: TestServices;
  beforeAll(async () => {
    services = await testServices();
  });
  afterAll(() => services.stop());

  const migration = (version: number, sql: string): Migration => ({
    version,
    name: `number-${version}`,
    sql,
    checksum: `${version}-${sql.length}`,
  });
  const one = migration(1, 'CREATE TABLE one (id integer)');
  const two = migration(2, 'CREATE TABLE two (id integer); INSERT INTO two VALUES (1)');

  it('are numbered from 1 without a gap', () => {
    const versions = readMigrations().map((each) => each.version);
    expect(versions).toEqual(versions.map((_, index) => index + 1));
    expect(versions.length).toBeGreaterThan(0);
  });

  it('run once each, also when several processes start at once', async () => {
    const starts = await Promise.all([1, 2, 3].map(() => migrate(services.databaseUrl, [one, two])));
    expect(starts.toSorted((a, b) => b.length - a.length)).toEqual([[1, 2], [], []]);
  });

  it('leave nothing behind where one fails', async () => {
    const broken = migration(3, 'CREATE TABLE three (id integer); SELECT nonsense');
    const failed = migrate(services.databaseUrl, [one, two, broken]);
    await expect(failed).rejects.toMatchObject({ code: 'MIGRATION_FAILED' });
    const mended = migration(3, 'CREATE TABLE three (id integer)');
    expect(await migrate(services.databaseUrl, [one, two, mended])).toEqual([3]);
  });

  it('refuse a file that was changed after it ran, and a schema from a later program', async () => {
    const changed = { ...one, checksum: 'another' };
    await expect(migrate(services.databaseUrl, [changed, two])).rejects.toMatchObject({
      code: 'MIGRATION_CHANGED',
    });
    await expect(migrate(services.databaseUrl, [one])).rejects.toMatchObject({ code: 'SCHEMA_NEWER' });
  });
});
