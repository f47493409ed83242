// `node health-check.mjs <url>`: whether it answers with a 2xx. The container's logs keep what it prints otherwise.
const [url] = process.argv.slice(2);
const TIMEOUT_MS = 2500;

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${response.status} ${(await response.text()).slice(0, 500)}`);
} catch (error) {
  process.stdout.write(`${url}: ${error.cause?.message ?? error.message}\n`);
  process.exitCode = 1;
}
