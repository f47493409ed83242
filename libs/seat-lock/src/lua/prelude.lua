-- Put before every script.
--
-- A seat is one string, fields parted by "|":
--   held:  H|epoch|orderId|userId|token|claim|lockedUntil|leaseUntil|seatCount     with a TTL
--   sold:  S|epoch|orderId|reservationId                                           without a TTL
-- No key: the seat is free.
--
-- epoch       rises with every acquisition of the seat and outlives the lock (hash of epochs)
-- token       names the attempt; it stays when the attempt is taken up again
-- claim       names the run of a request that works on the attempt now; it changes when another run takes it up, so that
--             a run that was given up on can no longer release what is not its own
-- leaseUntil  until then that run is believed to be at work

local function fields(value)
  local result = {}
  for field in string.gmatch(value, '[^|]+') do
    result[#result + 1] = field
  end
  return result
end

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function whole(number)
  return string.format('%.0f', number)
end

-- Never below the clock (in microseconds, exact in a double until 2255): should Redis lose its data, or a replica take over
-- that lags behind, epochs rise all the same.
local function next_epoch(last)
  local time = redis.call('TIME')
  return math.max((tonumber(last) or 0) + 1, time[1] * 1000000 + time[2])
end

local function held(epoch, order, user, token, claim, locked_until, lease_until, seat_count)
  return table.concat(
    { 'H', whole(epoch), order, user, token, claim, whole(locked_until), whole(lease_until), seat_count }, '|')
end

local function sold(epoch, order, reservation)
  return table.concat({ 'S', whole(epoch), order, reservation }, '|')
end
