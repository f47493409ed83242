/**
 * What the processes say about themselves while they are under load, from their /metrics, once a second: event loop lag and
 * backlog. What does not answer is left out of that second; looking must not stop the run.
 */
import type { StackEndpoints } from '@seatlog/local-stack';

const ANSWER_WITHIN_MS = 900;

export interface Gauges {
  /** By process: the 99th percentile of the event loop's lag since it was asked before, in milliseconds. */
  readonly eventLoopP99Ms: Readonly<Record<string, number>>;
  /** Records that the worker has not handled, as the booking API sees it. */
  readonly backlog: number | null;
}

export async function readGauges(endpoints: StackEndpoints): Promise<Gauges> {
  const pages = await Promise.all(
    Object.entries(endpoints.apps).map(async ([name, url]) => [name, await page(`${url}/metrics`)] as const),
  );
  const lags = pages.flatMap(([name, text]) => {
    const seconds = text === null ? null : metricValue(text, 'nodejs_eventloop_lag_p99_seconds');
    return seconds === null ? [] : [[name, seconds * 1000] as const];
  });
  const ofApi = pages.find(([name]) => name === 'booking-api')?.[1] ?? null;
  return {
    eventLoopP99Ms: Object.fromEntries(lags),
    backlog: ofApi === null ? null : metricValue(ofApi, 'booking_backlog_records'),
  };
}

async function page(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

/** The first sample of that name in Prometheus's text format; null if there is none or it is not a number. */
export function metricValue(text: string, name: string): number | null {
  for (const line of text.split('\n')) {
    if (!line.startsWith(name) || !/^[{\s]/.test(line.slice(name.length))) continue;
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    return Number.isFinite(value) ? value : null;
  }
  return null;
}
