/** docker-compose.yml as Docker Compose reads it: variables put in, anchors merged. What is not used here is left out. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

export const repository = path.resolve(import.meta.dirname, '..', '..');

export interface HealthCheck {
  readonly test?: readonly string[];
  readonly disable?: boolean;
}

export interface Dependency {
  readonly condition: 'service_started' | 'service_healthy' | 'service_completed_successfully';
}

export interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly command?: readonly string[];
  /** Null: handed in from outside where it is set there. */
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly restart?: string;
  readonly scale?: number;
  readonly init?: boolean;
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly resources?: { readonly limits?: { readonly memory?: string } } };
  readonly healthcheck?: HealthCheck;
  readonly depends_on?: Readonly<Record<string, Dependency>>;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

export function readText(file: string): string {
  return readFileSync(path.join(repository, file), 'utf8');
}

export function readCompose(file: string, variables: Readonly<Record<string, string>> = {}): ComposeFile {
  return parse(interpolated(readText(file), variables), { merge: true }) as ComposeFile;
}

/** `${NAME}`, `${NAME:-default}` and `$$`. Others are refused, so that nothing is checked in a form that nobody gets. */
export function interpolated(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$(?:\$|\{(\w+)(?::-([^}]*))?\}|)/g,
    (match, name?: string, fallback?: string): string => {
      if (match === '$$') return '$';
      const value = name === undefined ? undefined : variables[name] || fallback;
      if (value === undefined) throw new Error(`${match} has no value`);
      return value;
    },
  );
}

export function servicesOf(compose: ComposeFile): readonly (readonly [string, Service])[] {
  return Object.entries(compose.services);
}

/** Those that are built from this repository. */
export function ownServicesOf(compose: ComposeFile): readonly (readonly [string, Service])[] {
  return servicesOf(compose).filter(([, service]) => service.build !== undefined);
}

export interface PublishedPort {
  readonly address: string;
  readonly published: number;
  readonly target: number;
}

/** Of the form `address:published:target` only: one without an address is open to the network. */
export function publishedPort(text: string): PublishedPort {
  const match = /^([\d.]+):(\d+):(\d+)$/.exec(text);
  const [, address = '', published, target] = match ?? [];
  if (match === null) throw new Error(`${text} is not of the form address:published:target`);
  return { address, published: Number(published), target: Number(target) };
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Where a service connects to: `host:port` lists and URLs in its environment. */
export function endpointsOf(service: Service): readonly Endpoint[] {
  const { BROKERS, DATABASE_URL, REDIS_URL } = service.environment ?? {};
  const brokers = BROKERS?.split(',').map((address) => new URL(`tcp://${address}`)) ?? [];
  const stores = [DATABASE_URL, REDIS_URL].flatMap((url) => (url ? [new URL(url)] : []));
  return [...brokers, ...stores].map(({ hostname, port }) => ({ host: hostname, port: Number(port) }));
}

/** `mapped: volume -> folder` of one entry of `volumes`. */
export function mountOf(text: string): { readonly volume: string; readonly folder: string } {
  const [volume = '', folder = ''] = text.split(':');
  return { volume, folder };
}
