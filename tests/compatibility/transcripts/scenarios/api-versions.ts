import { apis, decodeResponse } from '@seatlog/kafka-protocol';
import type { Scenario, Session } from '../session.ts';

/** A request header of version 1 and nothing behind it. */
function header(apiKey: number, version: number): Uint8Array {
  const bytes = Buffer.alloc(4 + 10 + 2);
  bytes.writeInt32BE(bytes.length - 4, 0);
  bytes.writeInt16BE(apiKey, 4);
  bytes.writeInt16BE(version, 6);
  bytes.writeInt32BE(7, 8);
  bytes.writeInt16BE(-1, 12);
  return bytes;
}

/** Which versions there are is for each broker to say; what counts is how it says so. */
async function told(session: Session, version: number, software: string): Promise<void> {
  const answer = await session.exchange(apis.apiVersions, version, {
    clientSoftwareName: software,
    clientSoftwareVersion: '1.0',
  });
  const what = `version ${version} from "${software}"`;
  session.note(
    what,
    answer === undefined
      ? 'closed the connection'
      : { errorCode: answer.errorCode, hasKeys: answer.apiKeys.length > 0 },
  );
}

async function tell(session: Session): Promise<void> {
  for (let version = 0; version <= 4; version++) await told(session, version, 'transcript');
  for (const software of ['', 'two words', '-begins', 'ends-', 'a.b-c']) await told(session, 3, software);
  const unknown = await session.sendRaw(header(18, 99));
  session.note(
    'a version that nobody knows',
    unknown === null ? 'closed the connection' : decodeResponse(apis.apiVersions, 0, unknown).body.errorCode,
  );
  if (unknown !== null) {
    const { apiKeys } = decodeResponse(apis.apiVersions, 0, unknown).body;
    session.note(
      'the keys told with it',
      apiKeys.map(({ apiKey }) => apiKey).filter((apiKey) => apiKey === 18),
    );
  }
  session.note(
    'another API in a version that nobody knows',
    await session.sendRaw(header(3, 99), 'unknown version'),
  );
  session.note('an API that nobody knows', await session.sendRaw(header(999, 0), 'unknown key'));
  session.note('an API of controllers', await session.sendRaw(header(52, 1), 'controller key'));
  session.note('a size below zero', await session.sendRaw(Buffer.from([0xff, 0xff, 0xff, 0xff]), 'negative'));
  session.note(
    'a size beyond the limit',
    await session.sendRaw(Buffer.from([0x7f, 0xff, 0xff, 0xff]), 'huge'),
  );
  session.note(
    'a frame too short for a header',
    await session.sendRaw(Buffer.from([0, 0, 0, 2, 0, 3]), 'short'),
  );
  session.note('a body that ends too soon', await session.sendRaw(header(3, 1), 'cut body'));
}

export const apiVersions: Scenario = { name: 'api-versions', tell };
