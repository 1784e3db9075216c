-- Stores a thread's state, or its changed state channels.
-- KEYS[1] the copy; ARGV: from, seq, whole (1 or 0), time to live in ms, then pairs of state channel and value;
-- a value is "=" and the bytes, or "-" for a removed state channel. Returns 1, or 0 if the copy is of another seq.
local cur = tonumber(redis.call('HGET', KEYS[1], '@seq'))
local from, seq, whole = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
if cur and cur > seq then return 0 end
if not whole and cur ~= from then return 0 end
-- First a write that Redis rejects when out of memory: later writes of a script are not checked.
redis.call('HSET', KEYS[1], '@seq', ARGV[2])
if whole then redis.call('DEL', KEYS[1]) end
for i = 5, #ARGV, 2 do
  if string.sub(ARGV[i + 1], 1, 1) == '=' then
    redis.call('HSET', KEYS[1], ARGV[i], string.sub(ARGV[i + 1], 2))
  else
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
redis.call('HSET', KEYS[1], '@seq', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
