/** A secret for the status tokens of one installation, made where it is used: none comes with the sources. */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';

const SECRET_BYTES = 32;

/**
 * Writes `TOKEN_SECRET=...` unless the file is there: tokens that buyers hold stay valid when services start again.
 * Whole or not at all, also when two processes do it at once. Answers whether it was made now.
 */
export function keepTokenSecret(file: string): boolean {
  if (existsSync(file)) return false;
  const written = `${file}.${process.pid}`;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  writeFileSync(written, `TOKEN_SECRET=${secret}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(written, file);
    return true;
  } catch (error) {
    if (isThereAlready(error)) return false;
    throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

function isThereAlready(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
