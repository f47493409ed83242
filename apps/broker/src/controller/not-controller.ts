/** Answers that say that whoever gave them is not the active controller. */
import { ErrorCode } from '@seatlog/kafka-protocol';

/** True if the answer says so itself, or in any of its results: then nothing of it was decided here. */
export function saysNotController(response: object): boolean {
  if ('errorCode' in response && response.errorCode === ErrorCode.NOT_CONTROLLER) return true;
  return Object.values(response).some((value) => Array.isArray(value) && value.some(isResultThatSaysSo));
}

function isResultThatSaysSo(value: unknown): boolean {
  return typeof value === 'object' && value !== null && saysNotController(value);
}
