-- Makes seats sold that are sold in the database, unless someone holds them under a later epoch: that order is under way,
-- and will be refused there.
-- KEYS epochs, then one for each seat   ARGV for each seat: label, epoch, orderId, reservationId
-- gives how many were changed
local changed = 0
for i = 2, #KEYS do
  local at = (i - 2) * 4
  local label, epoch = ARGV[at + 1], tonumber(ARGV[at + 2])
  if tonumber(redis.call('HGET', KEYS[1], label) or 0) < epoch then
    redis.call('HSET', KEYS[1], label, whole(epoch))
  end
  local raw = redis.call('GET', KEYS[i])
  local value = raw and fields(raw)
  local same = value and value[1] == 'S' and value[4] == ARGV[at + 4]
  if not same and not (value and tonumber(value[2]) > epoch) then
    redis.call('SET', KEYS[i], sold(epoch, ARGV[at + 3], ARGV[at + 4]))
    changed = changed + 1
  end
end
return changed
