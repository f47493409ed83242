/**
 * A client's request that a broker passes on to the active controller, header and body as they came without the
 * size in front, and the answer that it passes back, with its header as well. The error code here is the envelope's
 * own: the answer inside may carry others.
 */
import { defineApi } from '../api.ts';
import { bytes, int16 } from '../schema/field.ts';

export const envelope = defineApi({
  key: 58,
  name: 'Envelope',
  versions: '0',
  flexible: '0+',
  request: {
    requestData: bytes('0+'),
    requestPrincipal: bytes('0+', { nullable: '0+' }),
    clientHostAddress: bytes('0+'),
  },
  response: {
    responseData: bytes('0+', { nullable: '0+', default: null }),
    errorCode: int16('0+'),
  },
});
