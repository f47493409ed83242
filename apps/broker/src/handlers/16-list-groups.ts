/**
 * ListGroups: the groups that this broker coordinates; clients ask every broker. From version 4 on by state, from
 * version 5 on by type, whatever the case of the letters.
 */
import { apis } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

export const listGroups = defineHandler(apis.listGroups, ({ groups }) => (request, _context, respond) => {
  const isWanted = (filter: readonly string[], value: string): boolean =>
    filter.length === 0 || filter.some((wanted) => wanted.toLowerCase() === value.toLowerCase());
  const listing = groups.list();
  respond({
    errorCode: listing.errorCode,
    groups: listing.groups.filter(
      ({ groupState, groupType }) =>
        isWanted(request.statesFilter, groupState) && isWanted(request.typesFilter, groupType),
    ),
  });
});
