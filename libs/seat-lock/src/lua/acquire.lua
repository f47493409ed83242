-- free seats -> held by this order, all of them or none; and the idempotency key is claimed in the same step.
--
-- KEYS  epochs, request, then one for each seat
-- ARGV  fingerprint, orderId, userId, token, claim, lockTtl, lease, requestTtl, then the label of each seat
-- gives one of
--   { 'acquired' | 'resumed' | 'joined' | 'sold', orderId, token, lockedUntil, epoch of each seat }
--   { 'completed', response }      the request was answered before
--   { 'in-flight', milliseconds }  another run is at work on it
--   { 'mismatch' }                 the idempotency key belongs to another request
--   { 'taken', label, 'H' | 'S' | 'Y' (held by this user in another order), ... }
--   { 'warming' }                  nothing is known about the seats yet
local fingerprint, order, user, token, claim = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local lock_ttl, lease, request_ttl = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local labels, seat_keys = {}, {}
for i = 9, #ARGV do
  labels[#labels + 1] = ARGV[i]
end
for i = 3, #KEYS do
  seat_keys[#seat_keys + 1] = KEYS[i]
end
local time = now()
local locked_until, lease_until = time + lock_ttl, time + lease

local function hold(index, epoch, of_order, of_token)
  local value = held(epoch, of_order, user, of_token, claim, locked_until, lease_until, #labels)
  redis.call('SET', seat_keys[index], value, 'PX', lock_ttl)
end

local function remember(of_order, of_token, epochs)
  redis.call('HSET', KEYS[2], 'fingerprint', fingerprint, 'state', 'open', 'claim', claim, 'token', of_token,
    'lease', whole(lease_until), 'order', of_order, 'epochs', table.concat(epochs, '|'))
  redis.call('PEXPIRE', KEYS[2], request_ttl)
end

local function answer(kind, of_order, of_token, epochs)
  local result = { kind, of_order, of_token, whole(locked_until) }
  for i = 1, #epochs do
    result[#result + 1] = epochs[i]
  end
  return result
end

-- Takes up an attempt whose outcome is unknown or whose run has died: same order, same token. A seat whose lock ran out
-- is locked again, under its old epoch unless someone had it in between. A seat that someone else has now is left alone:
-- the event may have been written, so it is for the database to say who came first.
local function resume(kind, of_order, of_token, epochs, values, counters)
  for i = 1, #labels do
    local value = values[i] and fields(values[i])
    if not value then
      local last = tonumber(counters[i + 1]) or 0
      if last > tonumber(epochs[i]) then
        epochs[i] = whole(next_epoch(last))
        redis.call('HSET', KEYS[1], labels[i], epochs[i])
      end
      hold(i, epochs[i], of_order, of_token)
    elseif value[1] == 'H' and value[3] == of_order then
      hold(i, epochs[i], of_order, of_token)
    end
  end
  remember(of_order, of_token, epochs)
  if kind == 'joined' then
    redis.call('HSET', KEYS[2], 'joined', '1')
  end
  return answer(kind, of_order, of_token, epochs)
end

local request = redis.call('HMGET', KEYS[2], 'fingerprint', 'state', 'claim', 'token', 'lease', 'order', 'epochs',
  'response', 'joined')
local values = redis.call('MGET', unpack(seat_keys))
local counters = redis.call('HMGET', KEYS[1], '#ready', unpack(labels))

if request[1] then
  if request[1] ~= fingerprint then
    return { 'mismatch' }
  end
  if request[2] == 'done' then
    return { 'completed', request[8] }
  end
  local left = tonumber(request[5]) - time
  if request[2] == 'open' and left > 0 and request[3] ~= claim then
    return { 'in-flight', whole(left) }
  end
  return resume(request[9] and 'joined' or 'resumed', request[6], request[4], fields(request[7]), values, counters)
end

if not counters[1] then
  return { 'warming' }
end

-- The same buyer with a fresh idempotency key and the same choice of seats gets the hold that is there already.
local first = values[1] and fields(values[1])
local same_hold = first and first[1] == 'H' and first[4] == user and tonumber(first[9]) == #labels
local taken, held_epochs = { 'taken' }, {}
local ours, sold_to_us = 0, 0
for i = 1, #labels do
  local value = values[i] and fields(values[i])
  if value then
    ours = ours + (value[3] == order and 1 or 0)
    sold_to_us = sold_to_us + (value[3] == order and value[1] == 'S' and 1 or 0)
    local mine = value[1] == 'H' and value[4] == user
    taken[#taken + 1] = labels[i]
    taken[#taken + 1] = mine and 'Y' or value[1]
    held_epochs[i] = value[2]
    same_hold = same_hold and value[1] == 'H' and value[3] == first[3]
  else
    same_hold = false
  end
end
if same_hold then
  local left = tonumber(first[8]) - time
  if left > 0 then
    return { 'in-flight', whole(left) }
  end
  return resume('joined', first[3], first[5], held_epochs, values, counters)
end

-- Seats are this very order's, and the request is not known: Redis lost it, and learned from the database what is sold.
-- So the order was written, and its buyer may not have heard of it. What is not recorded yet is taken up again, unless
-- someone else has it by now: then the order cannot be completed.
if sold_to_us == #labels then
  remember(order, token, held_epochs)
  return answer('sold', order, token, held_epochs)
end
if ours > 0 and 1 + 2 * ours == #taken then
  for i = 1, #labels do
    if not held_epochs[i] then
      held_epochs[i] = whole(next_epoch(counters[i + 1]))
      redis.call('HSET', KEYS[1], labels[i], held_epochs[i])
    end
  end
  return resume('resumed', order, token, held_epochs, values, counters)
end
if #taken > 1 then
  return taken
end

local epochs = {}
for i = 1, #labels do
  epochs[i] = whole(next_epoch(counters[i + 1]))
  redis.call('HSET', KEYS[1], labels[i], epochs[i])
  hold(i, epochs[i], order, token)
end
remember(order, token, epochs)
return answer('acquired', order, token, epochs)
