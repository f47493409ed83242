/** Metrics in Prometheus' text format: one family at a time, its type first, then its samples. */
export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export class PrometheusText {
  readonly #lines: string[] = [];

  gauge(name: string, help: string, samples: readonly Sample[] | number): void {
    this.#family(name, 'gauge', help, samples);
  }

  counter(name: string, help: string, samples: readonly Sample[] | number): void {
    this.#family(name, 'counter', help, samples);
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #family(name: string, type: string, help: string, samples: readonly Sample[] | number): void {
    const all = typeof samples === 'number' ? [{ value: samples }] : samples;
    if (all.length === 0) return;
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { labels, value } of all) this.#lines.push(`${name}${labelText(labels)} ${value}`);
  }
}

function labelText(labels: Labels | undefined): string {
  if (labels === undefined) return '';
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return `{${pairs.join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
