/** Whoever tells an experiment while it runs. */
export interface Narrator {
  /** A step begins. */
  step(title: string): void;
  /** Something happened, or was seen. */
  line(text: string): void;
  /** What stands somewhere else: a file, a log, an answer. */
  quote(source: string, lines: readonly string[]): void;
}

export const silent: Narrator = {
  step: () => undefined,
  line: () => undefined,
  quote: () => undefined,
};

/** Plain text: numbered steps, and each line with the seconds since the beginning. */
export function textNarrator(write: (text: string) => void, elapsedMs: () => number): Narrator {
  let steps = 0;
  const stamp = (): string => `${(elapsedMs() / 1000).toFixed(3).padStart(8)}  `;
  return {
    step(title) {
      steps += 1;
      write(`\n=== ${steps}. ${title}\n`);
    },
    line: (text) => write(`${stamp()}${text}\n`),
    quote(source, lines) {
      write(`${stamp()}--- ${source}\n`);
      for (const line of lines) write(`          ${line}\n`);
    },
  };
}
