/** A Dockerfile as stages with their instructions: as much of the format as ours has. */

export interface Copy {
  /** A stage, or null for the build context. */
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

export interface Stage {
  readonly name: string;
  /** Another stage's name, or an image. */
  readonly base: string;
  readonly copies: readonly Copy[];
  readonly commands: readonly string[];
  readonly user: string | null;
}

interface OpenStage {
  readonly name: string;
  readonly base: string;
  readonly copies: Copy[];
  readonly commands: string[];
  user: string | null;
}

export class Dockerfile {
  readonly stages: ReadonlyMap<string, Stage>;

  constructor(text: string) {
    const stages = new Map<string, OpenStage>();
    let stage: OpenStage | undefined;
    for (const [instruction, rest] of instructionsOf(text)) {
      if (instruction === 'FROM') {
        const [, base, name] = /^(\S+) AS (\S+)$/.exec(rest) ?? [];
        if (base === undefined || name === undefined) throw new Error(`FROM ${rest}: every stage has a name`);
        stage = { name, base, copies: [], commands: [], user: null };
        stages.set(name, stage);
      } else if (stage === undefined) {
        throw new Error(`${instruction} ${rest} stands before the first FROM`);
      } else if (instruction === 'COPY') stage.copies.push(copyOf(rest));
      else if (instruction === 'RUN') stage.commands.push(rest);
      else if (instruction === 'USER') stage.user = rest;
    }
    this.stages = stages;
  }

  /** The stage and those that it builds on, nearest first. */
  lineOf(name: string): readonly Stage[] {
    const stage = this.stages.get(name);
    return stage === undefined ? [] : [stage, ...this.lineOf(stage.base)];
  }

  /** Images that are not stages of this file. */
  get images(): readonly string[] {
    return [...this.stages.values()].map(({ base }) => base).filter((base) => !this.stages.has(base));
  }
}

function instructionsOf(text: string): readonly (readonly [string, string])[] {
  return text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, instruction, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
      return instruction === undefined || rest === undefined ? [] : [[instruction, rest] as const];
    });
}

function copyOf(rest: string): Copy {
  const [, from, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
  const words = paths.split(/\s+/);
  return { from: from ?? null, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
}
