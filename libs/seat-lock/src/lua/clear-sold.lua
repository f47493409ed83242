-- Frees seats that are sold here and not in the database, if they are still as they were when the database was asked.
-- KEYS one for each seat   ARGV the value that each had   gives how many were freed
local changed = 0
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[i] then
    redis.call('DEL', KEYS[i])
    changed = changed + 1
  end
end
return changed
