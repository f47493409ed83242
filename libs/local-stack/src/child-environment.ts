/**
 * The environment that our own programs begin with: what a Node process needs, and nothing that could change their
 * configuration by accident (a KAFKA_* variable of the shell overrides a broker's file, for one).
 */
const PASSED_ON = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'TZ',
  'NODE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
  'NO_COLOR',
];
const PASSED_ON_PREFIX = 'OTEL_';

export function childEnvironment(
  own: Readonly<Record<string, string>>,
  parent: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string | undefined>> {
  const passed = Object.entries(parent).filter(
    ([name]) => PASSED_ON.includes(name) || name.startsWith(PASSED_ON_PREFIX),
  );
  return { ...Object.fromEntries(passed), ...own };
}
