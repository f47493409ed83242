/**
 * ApiVersions: what this broker speaks, exactly the handler table. Answered before anything else is known of the
 * client. Client software names are held to Kafka's pattern from version 3 on. Features whose lowest level is 0 are
 * told from version 4 on only: older Java clients stop at them.
 */
import { type AnyApi, apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import { type ClusterImage, supportedFeatures } from '@seatlog/metadata-quorum';
import type { MetadataService } from '../metadata/metadata-service.ts';
import { defineControllerHandler, defineHandler, type Handler } from './handler.ts';

const SOFTWARE_PATTERN = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/;
const ZERO_LEVEL_FEATURES_FROM = 4;
const SOFTWARE_FROM = 3;

type ApiVersionsResponse = ResponseInput<typeof apis.apiVersions>;

/** What it is answered from, on a broker's listeners and on a controller's. */
interface Answering {
  readonly handlers: readonly { readonly api: AnyApi }[];
  readonly metadata: Pick<MetadataService, 'image'>;
}

export const apiVersions = defineHandler(apis.apiVersions, answerFrom);

export const controllerApiVersions = defineControllerHandler(apis.apiVersions, answerFrom);

function answerFrom(services: Answering): Handler<RequestOf<typeof apis.apiVersions>, ApiVersionsResponse> {
  const apiKeys = advertised(services.handlers);
  return (request, context, respond) => {
    if (
      context.apiVersion >= SOFTWARE_FROM &&
      !(
        SOFTWARE_PATTERN.test(request.clientSoftwareName) &&
        SOFTWARE_PATTERN.test(request.clientSoftwareVersion)
      )
    ) {
      respond({ errorCode: ErrorCode.INVALID_REQUEST, apiKeys: [] });
      return;
    }
    respond({
      errorCode: ErrorCode.NONE,
      apiKeys,
      ...features(services.metadata.image, context.apiVersion),
    });
  };
}

function advertised(table: Answering['handlers']): ApiVersionsResponse['apiKeys'] {
  return table
    .map(({ api }) => ({
      apiKey: api.key,
      minVersion: api.advertisedMinVersion,
      maxVersion: api.maxVersion,
    }))
    .sort((left, right) => left.apiKey - right.apiKey);
}

function features(image: ClusterImage, apiVersion: number): Partial<ApiVersionsResponse> {
  const told = supportedFeatures.filter(
    (feature) => apiVersion >= ZERO_LEVEL_FEATURES_FROM || feature.minSupportedVersion > 0,
  );
  return {
    supportedFeatures: told.map(({ name, minSupportedVersion, maxSupportedVersion }) => ({
      name,
      minVersion: minSupportedVersion,
      maxVersion: maxSupportedVersion,
    })),
    finalizedFeaturesEpoch: image.lastOffset,
    finalizedFeatures: [...image.features].map(([name, level]) => ({
      name,
      maxVersionLevel: level,
      minVersionLevel: level,
    })),
  };
}
