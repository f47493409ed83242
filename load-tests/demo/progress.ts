/** The list that grows while things start: a line for each step that is done, and for each that takes long. */
import type { StackProgress } from '@seatlog/local-stack';

export function progressLine({ step, state, tookMs = 0, detail }: StackProgress): string | null {
  const seconds = `${(tookMs / 1000).toFixed(1)} s`;
  switch (state) {
    case 'started':
      return detail === undefined ? null : `  … ${step}: ${detail}`;
    case 'done':
      return `  ✓ ${step}  ${seconds}`;
    case 'failed':
      return `  ✗ ${step}  ${seconds}`;
  }
}
