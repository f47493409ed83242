/** Sockets, frames, and the bounds that keep one client from taking what belongs to all. */
import { int, list, long, optionalString, UNLIMITED } from './value-types.ts';

export const networkDefinitions = {
  listeners: list<string>(
    ['PLAINTEXT://:9092'],
    'Listeners, each NAME://host:port. An empty host is every interface; port 0 picks a free one.',
  ),
  'advertised.listeners': list<string>(
    [],
    'What clients are told to connect to; where empty, the listeners themselves.',
  ),
  'listener.security.protocol.map': list<string>(
    ['PLAINTEXT:PLAINTEXT', 'CONTROLLER:PLAINTEXT'],
    'The security protocol of each listener name.',
  ),
  'inter.broker.listener.name': optionalString('The listener that brokers use among themselves.'),
  'socket.request.max.bytes': int(
    104_857_600,
    { min: 1 },
    'The largest request frame; a larger one closes the connection.',
  ),
  // Kafka's 50 makes the 51st of a burst wait a second for its next try: one loop accepts between other work.
  'socket.listen.backlog.size': int(511, { min: 1 }, 'How many connections may wait to be accepted.'),
  'connections.max.idle.ms': long(
    600_000,
    { min: 1 },
    'A connection that says nothing for this long is closed.',
  ),
  'max.connections': int(
    2_147_483_647,
    { min: 1 },
    'Open connections of this broker; one more is closed at once.',
  ),
  'max.connections.per.ip': int(2_147_483_647, { min: 1 }, 'Open connections from one address.'),
  'queued.max.requests': int(
    500,
    { min: 1 },
    'Requests of one connection that wait to be processed before its socket is no longer read.',
  ),
  'request.timeout.ms': int(30_000, { min: 1 }, 'How long the broker waits for answers of other nodes.'),
  'fetch.max.bytes': int(57_671_680, { min: 1024 }, 'The most record bytes of one Fetch answer.'),
  'max.incremental.fetch.session.cache.slots': int(
    1000,
    { min: 0 },
    'Fetch sessions kept. Sessions are refused: every answer is full.',
  ),
  'seatlog.frame.timeout.ms': int(
    30_000,
    { min: 1 },
    'How long a frame that has begun may take to arrive in full.',
  ),
  'seatlog.connection.receive.buffer.bytes': long(
    4_194_304,
    { min: 1024, max: UNLIMITED },
    'Bytes of requests of one connection, waiting or in process, at which its socket is no longer read.',
  ),
  'seatlog.send.buffer.total.bytes': long(
    268_435_456,
    { min: 1024, max: UNLIMITED },
    'Answer bytes that may wait in all sockets together; beyond it a fetch gets one batch at a time.',
  ),
  'seatlog.connection.send.buffer.bytes': long(
    16_777_216,
    { min: 1024, max: UNLIMITED },
    'Answer bytes that may wait in one socket before its requests are no longer processed.',
  ),
} as const;
