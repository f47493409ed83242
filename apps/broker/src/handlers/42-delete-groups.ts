/** DeleteGroups: takes away groups without members, with their offsets. Answered when all of them are done. */
import { apis } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

export const deleteGroups = defineHandler(apis.deleteGroups, ({ groups }) => (request, _context, respond) => {
  // A group that is named twice is deleted, and answered for, once.
  const names = [...new Set(request.groupsNames)];
  const results: { groupId: string; errorCode: number }[] = [];
  let missing = names.length;
  if (missing === 0) respond({ throttleTimeMs: 0, results });
  names.forEach((groupId, place) => {
    groups.ask('delete-group', { groupId }, ({ errorCode }) => {
      results[place] = { groupId, errorCode };
      missing -= 1;
      if (missing === 0) respond({ throttleTimeMs: 0, results });
    });
  });
});
