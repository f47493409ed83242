/** Answers that say that whoever gave them is not the active controller. */
import { ErrorCode } from '@seatlog/kafka-protocol';

/** True if the answer says so itself, or in any of its results: then none of it was decided here. */
export function saysNotController(response: object): boolean {
  if (isNotController(response)) return true;
  return Object.values(response).some((value) => Array.isArray(value) && value.some(isNotController));
}

function isNotController(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'errorCode' in value &&
    value.errorCode === ErrorCode.NOT_CONTROLLER
  );
}
