-- held (or run out) -> sold, as the database decided. Sold seats have no TTL.
-- KEYS seat, epochs   ARGV label, epoch, orderId, reservationId
-- gives 'done', 'already', or 'superseded' if someone has locked the seat since
local epoch = tonumber(ARGV[2])
local raw = redis.call('GET', KEYS[1])
local value = raw and fields(raw)
local last = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or 0)
if value and value[1] == 'S' and value[4] == ARGV[4] then
  return 'already'
end
local same_order = value and value[1] == 'H' and value[3] == ARGV[3]
local newest = value and tonumber(value[2]) or last
if newest > epoch and not same_order then
  return 'superseded'
end
redis.call('SET', KEYS[1], sold(epoch, ARGV[3], ARGV[4]))
if last < epoch then
  redis.call('HSET', KEYS[2], ARGV[1], whole(epoch))
end
return 'done'
