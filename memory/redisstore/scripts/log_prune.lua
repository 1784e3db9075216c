-- Removes the records below the newest snapshot, except the last ones.
-- KEYS[1] the log; ARGV: the number to keep below the snapshot.
local snapshot = tonumber(redis.call('HGET', KEYS[1], '@snapshot') or '0')
local low = tonumber(redis.call('HGET', KEYS[1], '@low') or '1')
local keep = snapshot - tonumber(ARGV[1])
for seq = low, keep - 1 do redis.call('HDEL', KEYS[1], string.format('%d', seq)) end
if keep > low then redis.call('HSET', KEYS[1], '@low', string.format('%d', keep)) end
return 0
