/**
 * Ids of members: the client's id, or the instance's for a static member, and a random UUID, so that an operator
 * knows whose it is. A name so long that the id would not fit where strings are short is cut; the UUID alone tells
 * members apart.
 */
const MAX_NAME_LENGTH = 1024;

export function createMemberId(clientId: string, groupInstanceId: string | null, uuid: string): string {
  const name = groupInstanceId ?? clientId;
  return `${name.length > MAX_NAME_LENGTH ? name.slice(0, MAX_NAME_LENGTH).toWellFormed() : name}-${uuid}`;
}
