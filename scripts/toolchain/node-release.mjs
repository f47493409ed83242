// Finds or fetches the Node.js release that the project runs on.
//
// ensureNode(root) returns the path of a node executable of release 24 or of 26 and later. Where the running one
// will not do, the release named in scripts/toolchain/package-lock.json (exact version, with its checksum) is
// installed by npm into .cache/toolchain/, beside and then renamed, so that a half-done install is never used.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';

const manifest = path.join(import.meta.dirname, 'package.json');

export function isSupported(version) {
  const major = Number.parseInt(version.replace(/^v/, ''), 10);
  return major === 24 || major >= 26;
}

export function ensureNode(root) {
  if (isSupported(process.version)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const release = JSON.parse(fs.readFileSync(manifest, 'utf8')).optionalDependencies[name];
  if (release === undefined) {
    throw new Error(
      `Seatlog runs on Node.js 24; this is ${process.version}, and no packaged release is known for ${process.platform} ${process.arch}. Install Node.js 24 and try again.`,
    );
  }
  const folder = path.join(root, '.cache', 'toolchain', `${name}-${release}`);
  const node = path.join(folder, 'node_modules', name, 'bin', 'node');
  if (fs.existsSync(node)) return node;
  withLock(path.join(root, '.cache', 'toolchain', 'node.lock'), () => {
    if (!fs.existsSync(node)) install(folder, name, release);
  });
  return node;
}

function install(folder, name, release) {
  process.stderr.write(`Fetching Node.js ${release} (this machine has ${process.version}) ...\n`);
  const beside = `${folder}.${process.pid}`;
  fs.mkdirSync(beside, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    fs.copyFileSync(path.join(import.meta.dirname, file), path.join(beside, file));
  }
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: beside,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const node = path.join(beside, 'node_modules', name, 'bin', 'node');
  const found = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  if (found !== `v${release}`)
    throw new Error(`The package ${name} brought Node.js ${found}, not ${release}.`);
  fs.renameSync(beside, folder);
}
