/** What a change of configs answers for every resource when nothing could be changed. */
import type { AlteredResource } from '@seatlog/metadata-quorum';

export function alterationFailed(
  resources: readonly { readonly resourceType: number; readonly resourceName: string }[],
  failure: { readonly errorCode: number; readonly message: string },
): readonly AlteredResource[] {
  return resources.map(({ resourceType, resourceName }) => ({
    resourceType,
    resourceName,
    errorCode: failure.errorCode,
    errorMessage: failure.message,
  }));
}
