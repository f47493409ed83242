-- sold to, or held by, this order -> free. The epoch is used up, so that a late "sold" of the same reservation is refused.
-- KEYS seat, epochs   ARGV label, epoch, orderId   gives 'done', or 'already' if the seat is not this order's
local epoch = tonumber(ARGV[2])
local last = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or 0)
if last <= epoch then
  redis.call('HSET', KEYS[2], ARGV[1], whole(epoch + 1))
end
local raw = redis.call('GET', KEYS[1])
if raw and fields(raw)[3] == ARGV[3] then
  redis.call('DEL', KEYS[1])
  return 'done'
end
return 'already'
