-- open request -> answered: whoever sends it again gets this response.
-- KEYS request   ARGV claim, response, requestTtl   gives 1, or 0 if another run has taken the request up
if redis.call('HGET', KEYS[1], 'claim') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'state', 'done', 'response', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
