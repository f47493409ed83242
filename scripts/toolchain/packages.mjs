// Brings node_modules in line with package-lock.json.
//
// ensurePackages(root, node) runs `npm ci` where what npm noted as installed is not what the lock file asks for; otherwise
// it costs two reads. Two commands started at once install once: the second waits for the first.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';

export function ensurePackages(root, node) {
  if (isInstalled(root)) return;
  withLock(path.join(root, '.cache', 'toolchain', 'packages.lock'), () => {
    if (isInstalled(root)) return;
    process.stderr.write('Installing packages ...\n');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}` },
    });
  });
}

/** npm writes its own note of what lies in node_modules last of all, so a half-done install has none. */
function isInstalled(root) {
  const note = path.join(root, 'node_modules', '.package-lock.json');
  if (!fs.existsSync(note)) return false;
  const wanted = packagesOf(path.join(root, 'package-lock.json'));
  const present = packagesOf(note);
  return Object.entries(wanted).every(([location, entry]) => {
    if (!location.includes('node_modules/')) return true;
    const found = present[location];
    // Optional packages of other platforms are left out by npm.
    if (found === undefined)
      return entry.optional === true || entry.devOptional === true || entry.peer === true;
    return found.version === entry.version && found.resolved === entry.resolved;
  });
}

function packagesOf(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
}
