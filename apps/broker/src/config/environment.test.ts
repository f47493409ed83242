import { expect, it } from 'vitest';
import { settingsFromEnvironment } from './environment.ts';

it('maps variables as the Docker images do', () => {
  const settings = settingsFromEnvironment({
    KAFKA_NODE_ID: '3',
    KAFKA_LOG_RETENTION_MS: '1000',
    KAFKA_WITH__UNDERSCORE: 'u',
    KAFKA_WITH___DASH: 'd',
    CLUSTER_ID: '4L6g3nShT-eMCtK--X86sw',
    PATH: '/bin',
  });
  expect(Object.fromEntries(settings)).toEqual({
    'node.id': '3',
    'log.retention.ms': '1000',
    with_underscore: 'u',
    'with-dash': 'd',
    'cluster.id': '4L6g3nShT-eMCtK--X86sw',
  });
});

it('passes over what steers the images and the Java machine', () => {
  const settings = settingsFromEnvironment({
    KAFKA_OPTS: '-x',
    KAFKA_HEAP_OPTS: '-Xmx1G',
    KAFKA_LOG4J_ROOT_LOGLEVEL: 'INFO',
    KAFKA_JMX_PORT: '9999',
  });
  expect([...settings]).toEqual([]);
});
