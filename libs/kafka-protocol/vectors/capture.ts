/**
 * Captures request frames of other people's clients, to be read back by `src/captured-frames.test.ts`:
 *
 *     node libs/kafka-protocol/vectors/capture.ts
 *
 * Each client runs through its repertoire twice: once with all versions on offer, once with the lowest ones only. Of
 * each client, API and version the first frame is kept, in `<client>.json`. Run it again only to add clients or APIs:
 * a capture made with this library's own decoder in the loop proves something only while the frames stay as they are.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { apiByKey } from '../src/index.ts';
import { runKafkajs } from './kafkajs-repertoire.ts';
import { runPlatformatic } from './platformatic-repertoire.ts';
import { RecordingBroker, type RecordedFrame } from './recording-broker.ts';

const require = createRequire(import.meta.url);

/** Versions of another time: what the clients spoke before flexible versions. */
const OLD_VERSIONS: Readonly<Record<number, number>> = { 1: 11, 18: 2 };
const oldVersions = (key: number): number => OLD_VERSIONS[key] ?? 2;
const allVersions = (): number => Number.MAX_SAFE_INTEGER;
const middleVersions = (key: number): number => ({ 1: 12, 3: 8, 8: 7, 9: 6, 10: 3, 11: 5, 0: 8 })[key] ?? 3;

async function capture(
  client: string,
  run: (bootstrap: string) => Promise<void>,
  caps: readonly ((key: number) => number)[],
): Promise<void> {
  const kept = new Map<string, RecordedFrame>();
  for (const cap of caps) {
    const broker = new RecordingBroker(cap);
    const bootstrap = await broker.listen();
    try {
      await run(bootstrap);
    } finally {
      await broker.close();
    }
    for (const frame of broker.frames) {
      const id = `${frame.apiKey}-${frame.apiVersion}`;
      if (!kept.has(id)) kept.set(id, frame);
    }
  }
  const manifest: { version: string } = JSON.parse(
    readFileSync(`${packageFolder(client)}/package.json`, 'utf8'),
  );
  const frames = [...kept.values()]
    .sort((one, other) => one.apiKey - other.apiKey || one.apiVersion - other.apiVersion)
    .map(({ apiKey, apiVersion, frame }) => ({
      api: apiByKey(apiKey)?.name,
      apiKey,
      apiVersion,
      hex: frame.toString('hex'),
    }));
  const file = new URL(`${client.replaceAll(/[@/]/g, '-').replace(/^-/, '')}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify({ client, version: manifest.version, frames }, null, 2)}\n`);
  process.stdout.write(`${client} ${manifest.version}: ${frames.length} frames\n`);
}

function packageFolder(client: string): string {
  const entry = require.resolve(client);
  return `${entry.slice(0, entry.lastIndexOf(`node_modules/${client}`))}node_modules/${client}`;
}

await capture('kafkajs', runKafkajs, [allVersions, oldVersions]);
await capture('@platformatic/kafka', runPlatformatic, [allVersions, middleVersions, oldVersions]);
process.exit(0);
