-- Appends records to a log if it ends just before them.
-- KEYS[1] the thread's index, KEYS[2] the log; ARGV: namespace, fence, op, first seq, seq of the newest snapshot among
-- the records (0 for none), then the records. Returns {verdict, head}: "ok", "conflict", "fenced" or "gap".
local head = tonumber(redis.call('HGET', KEYS[2], '@head') or '0')
local first, fence = tonumber(ARGV[4]), tonumber(ARGV[2])
-- A retry after a lost reply.
if redis.call('HGET', KEYS[2], '@op') == ARGV[3] then return {'ok', head} end
local high = tonumber(redis.call('HGET', KEYS[1], '@fence') or '0')
if fence > 0 and fence < high then return {'fenced', head} end
if first <= head then return {'conflict', head} end
if first > head + 1 then return {'gap', head} end
for i = 6, #ARGV do
  redis.call('HSET', KEYS[2], string.format('%d', first + i - 6), ARGV[i])
end
redis.call('HSET', KEYS[2], '@head', string.format('%d', first + #ARGV - 6), '@op', ARGV[3])
if ARGV[5] ~= '0' then redis.call('HSET', KEYS[2], '@snapshot', ARGV[5]) end
if head == 0 then redis.call('HSET', KEYS[2], '@low', ARGV[4]) end
redis.call('HSET', KEYS[1], 'ns:' .. ARGV[1], 1)
if fence > high then redis.call('HSET', KEYS[1], '@fence', ARGV[2]) end
return {'ok', head}
