/**
 * Settings from environment variables, as Kafka's Docker images map them: `KAFKA_` off, lower case, `___` is `-`,
 * `__` is `_`, `_` is `.`. `CLUSTER_ID` is `cluster.id`. Variables that steer the images' own scripts or the Java
 * machine are no settings.
 */
const notSettings = [
  /^KAFKA_OPTS$/,
  /^KAFKA_HEAP_OPTS$/,
  /^KAFKA_JVM_PERFORMANCE_OPTS$/,
  /^KAFKA_GC_LOG_OPTS$/,
  /^KAFKA_LOG4J_/,
  /^KAFKA_JMX_/,
  /^KAFKA_TOOLS_LOG4J_/,
  /^KAFKA_VERSION$/,
  /^KAFKA_HOME$/,
  /^KAFKA_CLUSTER_ID$/,
];

export function settingsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Map<string, string> {
  const settings = new Map<string, string>();
  const clusterId = environment['CLUSTER_ID'] ?? environment['KAFKA_CLUSTER_ID'];
  if (clusterId !== undefined && clusterId !== '') settings.set('cluster.id', clusterId);
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || !variable.startsWith('KAFKA_')) continue;
    if (notSettings.some((pattern) => pattern.test(variable))) continue;
    settings.set(settingName(variable), value);
  }
  return settings;
}

function settingName(variable: string): string {
  return variable
    .slice('KAFKA_'.length)
    .toLowerCase()
    .replace(/_{1,3}/g, (run) => (run.length === 3 ? '-' : run.length === 2 ? '_' : '.'));
}
