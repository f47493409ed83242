/** How a group finds the protocol (the assignor) of its next generation. */
import type { GroupMember } from './group-member.ts';

export function isKnownToAll(members: Iterable<GroupMember>, protocolName: string): boolean {
  for (const { terms } of members) {
    if (!terms.protocols.some(({ name }) => name === protocolName)) return false;
  }
  return true;
}

/** The names that every member supports. */
function protocolsOfAll(members: Iterable<GroupMember>): ReadonlySet<string> {
  let common: Set<string> | null = null;
  for (const { terms } of members) {
    const own = new Set(terms.protocols.map(({ name }) => name));
    common = common === null ? own : common.intersection(own);
  }
  return common ?? new Set();
}

/**
 * Each member votes for the first of its protocols that all support; the most votes win, on a tie the protocol that
 * was voted for first. Null if the members have nothing in common, which joins rule out.
 */
export function mostWantedProtocol(members: Iterable<GroupMember>): string | null {
  const all = [...members];
  const common = protocolsOfAll(all);
  const votes = new Map<string, number>();
  for (const { terms } of all) {
    const choice = terms.protocols.find(({ name }) => common.has(name));
    if (choice !== undefined) votes.set(choice.name, (votes.get(choice.name) ?? 0) + 1);
  }
  let winner: string | null = null;
  for (const [name, count] of votes) {
    if (winner === null || count > (votes.get(winner) ?? 0)) winner = name;
  }
  return winner;
}
