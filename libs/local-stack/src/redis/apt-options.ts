/** How apt-get is told to leave the system alone: everything that it writes goes below one folder of ours. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HTTP_TIMEOUT_S = 20;
const RETRIES = 5;

/** Expects `lists/partial`, `archives/partial` and `sources.list` in `work`. */
export function aptOptions(work: string): readonly string[] {
  const settings: Readonly<Record<string, string>> = {
    'Dir::State': work,
    'Dir::State::lists': join(work, 'lists'),
    // The system's list of what is installed, read only: libraries that are here are not fetched.
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': work,
    'Dir::Cache::archives': join(work, 'archives'),
    'Dir::Etc::sourcelist': join(work, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::Log': work,
    'Debug::NoLocking': 'true',
    'APT::Sandbox::User': '',
    'APT::Get::AllowUnauthenticated': 'false',
    'Acquire::Retries': String(RETRIES),
    'Acquire::http::Timeout': String(HTTP_TIMEOUT_S),
    'Acquire::https::Timeout': String(HTTP_TIMEOUT_S),
    'Acquire::Languages': 'none',
  };
  return ['-q', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

/**
 * The system's own package sources, of the distribution only: a mirror and keys that someone set up here keep
 * working, and a third party's source that cannot be reached does not hold us up.
 */
export function distributionSources(codename: string, etc = '/etc/apt'): string {
  const parts = join(etc, 'sources.list.d');
  const files = [
    join(etc, 'sources.list'),
    ...(existsSync(parts) ? readdirSync(parts).map((file) => join(parts, file)) : []),
  ];
  return files
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return file.endsWith('.sources') ? stanzasAsLines(text) : text.split('\n');
    })
    .filter((line) => isBinaryLineOf(line, codename))
    .join('\n')
    .concat('\n');
}

/** `deb [options] uri suite components`, where the suite is `codename`, `codename-updates` or `codename-security`. */
function isBinaryLineOf(line: string, codename: string): boolean {
  const match = /^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)/.exec(line);
  const suite = match?.[2] ?? '';
  return suite === codename || suite === `${codename}-updates` || suite === `${codename}-security`;
}

/** The deb822 form (`Types:`, `URIs:`, ...) written as one line for each pair of address and suite. */
function stanzasAsLines(text: string): readonly string[] {
  return text.split(/\n\s*\n/).flatMap((stanza) => {
    const fields = new Map(
      stanza
        .split('\n')
        .filter((line) => !line.startsWith('#'))
        .map((line) => /^([A-Za-z-]+):\s*(.*)$/.exec(line))
        .filter((match) => match !== null)
        .map((match) => [(match[1] ?? '').toLowerCase(), (match[2] ?? '').trim()] as const),
    );
    const words = (name: string): readonly string[] => (fields.get(name) ?? '').split(/\s+/).filter(Boolean);
    if (!words('types').includes('deb') || words('enabled')[0] === 'no') return [];
    const key = fields.get('signed-by');
    const options = key?.startsWith('/') === true ? `[signed-by=${key}] ` : '';
    return words('uris').flatMap((uri) =>
      words('suites').map((suite) => `deb ${options}${uri} ${suite} ${words('components').join(' ')}`),
    );
  });
}
