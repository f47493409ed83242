/** Whether a URL answers 2xx before long. Never rejects. */
const PROBE_DEADLINE_MS = 5_000;

export async function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, {
      headers: { connection: 'close' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_DEADLINE_MS)]),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
