-- open request -> outcome unknown: its seats stay held, and the same request may take it up at once.
-- KEYS request   ARGV claim   gives 1, or 0 if another run has taken the request up
if redis.call('HGET', KEYS[1], 'claim') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'state', 'unknown', 'lease', '0')
return 1
