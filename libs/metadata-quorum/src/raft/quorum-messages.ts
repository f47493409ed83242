/** The bodies that the quorum speaks in: Kafka's own, by the name they have in `apis`. */
import type { apis, RequestInput, RequestOf, ResponseInput, ResponseOf } from '@seatlog/kafka-protocol';

/** What voters and observers ask each other. */
export type QuorumApiName = 'vote' | 'beginQuorumEpoch' | 'endQuorumEpoch' | 'fetch' | 'fetchSnapshot';

type QuorumApis = Pick<typeof apis, QuorumApiName>;

/** A request as it came, by api: `api` tells the type of `body`. */
export type ReceivedRequest = {
  [Name in QuorumApiName]: { readonly api: Name; readonly body: RequestOf<QuorumApis[Name]> };
}[QuorumApiName];

/** A request to send; `apis[api]` encodes its body. */
export type RequestToSend = {
  [Name in QuorumApiName]: { readonly api: Name; readonly body: RequestInput<QuorumApis[Name]> };
}[QuorumApiName];

/** An answer as it came. The record bytes of a fetch are not looked at here: see the event's `batches`. */
export type ReceivedResponse = {
  [Name in QuorumApiName]: { readonly api: Name; readonly body: ResponseOf<QuorumApis[Name]> };
}[QuorumApiName];

/** An answer to give; `apis[api]` encodes its body. */
export type ResponseToSend = {
  [Name in QuorumApiName]: { readonly api: Name; readonly body: ResponseInput<QuorumApis[Name]> };
}[QuorumApiName];

/** Kafka's fixed id of the metadata log's topic. */
export const METADATA_TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAQ';
