/** For simulations of a quorum: messages in the form in which they come out at the other end. */
export { receivedRequest, receivedResponse } from './raft/testing/wire-forms.ts';
