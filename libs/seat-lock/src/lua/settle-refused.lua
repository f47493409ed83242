-- held by an order that the database refused -> sold to the owner, or free if there is none.
-- KEYS seat, epochs   ARGV label, epoch, orderId, then the owner's epoch, orderId, reservationId if there is an owner
-- gives 'done', or 'already' if the seat is not that order's
local epoch = tonumber(ARGV[2])
local raw = redis.call('GET', KEYS[1])
local value = raw and fields(raw)
local last = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or 0)
local run_out = not value and last <= epoch
if not (run_out or value and value[3] == ARGV[3]) then
  return 'already'
end
if ARGV[4] then
  redis.call('SET', KEYS[1], sold(tonumber(ARGV[4]), ARGV[5], ARGV[6]))
else
  redis.call('DEL', KEYS[1])
end
return 'done'
