// A small copy of the repository's frame in a temporary folder, into which a test plants violations.
//
// It has the real rule files and, for each project named, a package with the sources that the test gives. Tools run in
// it as they run in the repository. The caller disposes of it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const repository = path.resolve(import.meta.dirname, '..', '..');
const ruleFiles = ['.dependency-cruiser.mjs', '.oxlintrc.json', 'tsconfig.base.json', 'tsconfig.json'];

export interface Outcome {
  readonly exitCode: number;
  readonly output: string;
}

export class PlantedRepository implements Disposable {
  readonly #root = fs.mkdtempSync(path.join(os.tmpdir(), 'seatlog-planted-'));

  constructor() {
    for (const file of ruleFiles) fs.copyFileSync(path.join(repository, file), path.join(this.#root, file));
    fs.writeFileSync(
      path.join(this.#root, 'package.json'),
      '{"name":"planted","private":true,"type":"module"}',
    );
    fs.mkdirSync(path.join(this.#root, 'node_modules', '@seatlog'), { recursive: true });
    for (const folder of ['@types', 'undici-types']) this.#link(folder);
  }

  /** Writes a source file, making its project a package that others can import by name. */
  plant(file: string, source: string): this {
    const project = file.split('/').slice(0, 2).join('/');
    const target = path.join(this.#root, file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, source);
    this.#makePackage(project);
    return this;
  }

  cruise(): Outcome {
    return this.#run('depcruise', ['--config', '.dependency-cruiser.mjs', 'libs', 'apps']);
  }

  /** One line for each finding. */
  lint(): Outcome {
    return this.#run('oxlint', ['--quiet', '--format=unix', 'libs', 'apps']);
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.#root, { recursive: true, force: true });
  }

  #makePackage(project: string): void {
    const folder = path.join(this.#root, project);
    const name = `@seatlog/${path.basename(project)}`;
    const exports = {
      '.': './src/index.ts',
      './topics': './src/topics.ts',
      './testing': './src/testing.ts',
      './embedded': './src/embedded.ts',
    };
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
    const link = path.join(this.#root, 'node_modules', name);
    if (!fs.existsSync(link)) fs.symlinkSync(folder, link);
    for (const needed of ['libs', 'apps']) fs.mkdirSync(path.join(this.#root, needed), { recursive: true });
  }

  #link(folder: string): void {
    const source = path.join(repository, 'node_modules', folder);
    if (fs.existsSync(source)) fs.symlinkSync(source, path.join(this.#root, 'node_modules', folder));
  }

  #run(tool: string, parameters: readonly string[]): Outcome {
    const result = spawnSync(path.join(repository, 'node_modules', '.bin', tool), [...parameters], {
      cwd: this.#root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    return { exitCode: result.status ?? -1, output: result.stdout + result.stderr };
  }
}
