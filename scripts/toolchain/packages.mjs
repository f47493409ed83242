// Brings node_modules in line with package-lock.json.
//
// ensurePackages(root, node) runs `npm ci` where the lock file is not the one that was installed last; otherwise it
// costs two small reads. Two commands started at once install once: the second waits for the first.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';

export function ensurePackages(root, node) {
  const stamp = path.join(root, 'node_modules', '.seatlog-lock-sha256');
  const wanted = createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  if (installed(stamp) === wanted) return;
  withLock(path.join(root, '.cache', 'toolchain', 'packages.lock'), () => {
    if (installed(stamp) === wanted) return;
    process.stderr.write('Installing packages ...\n');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}` },
    });
    fs.writeFileSync(stamp, wanted);
  });
}

function installed(stamp) {
  return fs.existsSync(stamp) ? fs.readFileSync(stamp, 'utf8') : undefined;
}
