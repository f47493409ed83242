-- held by this run -> free, and the idempotency key is free again. For attempts that surely left no event behind.
-- KEYS request, then one for each seat   ARGV claim
-- gives 1, or 0 if another run has taken the attempt up: then nothing is released
if redis.call('HGET', KEYS[1], 'claim') ~= ARGV[1] then
  return 0
end
local order = redis.call('HGET', KEYS[1], 'order')
local mine, taken_up = {}, false
for i = 2, #KEYS do
  local raw = redis.call('GET', KEYS[i])
  local value = raw and fields(raw)
  if value and value[3] == order then
    if value[1] == 'H' and value[6] == ARGV[1] then
      mine[#mine + 1] = KEYS[i]
    else
      taken_up = true
    end
  end
end
redis.call('DEL', KEYS[1])
if taken_up then
  return 0
end
for i = 1, #mine do
  redis.call('DEL', mine[i])
end
return 1
