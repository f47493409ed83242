import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepTokenSecret } from './token-secret.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seatlog-token-secret-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the token secret', () => {
  it('is made once, for its owner alone, and kept', () => {
    const file = join(folder, 'token.env');
    expect(keepTokenSecret(file)).toBe(true);
    const first = readFileSync(file, 'utf8');
    expect(parseEnv(first)['TOKEN_SECRET']?.length).toBeGreaterThanOrEqual(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(keepTokenSecret(file)).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe(first);
    expect(readdirSync(folder)).toEqual(['token.env']);
  });

  it('differs from one installation to the next', () => {
    const files = ['one.env', 'two.env'].map((name) => join(folder, name));
    for (const file of files) keepTokenSecret(file);
    const [one, two] = files.map((file) => readFileSync(file, 'utf8'));
    expect(one).not.toBe(two);
  });

  it('says where it could not be written', () => {
    expect(() => keepTokenSecret(join(folder, 'missing', 'token.env'))).toThrow('missing');
  });
});
