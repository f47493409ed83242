/**
 * Administration: APIs whose requests the active controller decides, whoever they come to. Their handlers run on the
 * controller; a broker passes their requests on (`forwarded`). They use no more than both sides have.
 */
import type { AnyApi, RequestOf, ResponseInput } from '@seatlog/kafka-protocol';
import type { CreateTopicsContext } from '@seatlog/metadata-quorum';
import type { BrokerConfig } from '../config/broker-config.ts';
import type { Handler, HandlerDefinition } from '../handlers/handler.ts';
import type { MetadataService } from '../metadata/metadata-service.ts';

export interface AdministrationServices {
  readonly config: BrokerConfig;
  readonly metadata: MetadataService;
  readonly topicCreation: CreateTopicsContext;
}

export type AdministrationDefinition = HandlerDefinition<AdministrationServices>;

export function defineAdministration<A extends AnyApi>(
  api: A,
  create: (services: AdministrationServices) => Handler<RequestOf<A>, ResponseInput<A>>,
): AdministrationDefinition {
  // As in `defineHandler`: the router decodes requests with `api` itself.
  return { api, pipelined: false, create: create as AdministrationDefinition['create'] };
}
