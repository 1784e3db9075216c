-- Takes one of an endpoint's places for a while, in the order of a line over all replicas, by the server's clock.
-- KEYS[1] the places, KEYS[2] the line, KEYS[3] who was seen; ARGV: the call, its replica, the replica's limit, ms by
-- which its turn in the line differs from now, ms until its place is free again, ms until its turn is lost, 1 if the call
-- is in flight: then the place is kept or taken anew without the line. A limit of 0, of an older program, says the same.
-- Then the calls of the replica that have ended, whose places and turns are free before this one looks.
-- Returns 1 if the place was taken.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local limit, lease, turn = tonumber(ARGV[3]), tonumber(ARGV[5]), tonumber(ARGV[6])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for i = 8, #ARGV do
  if redis.call('ZREM', KEYS[1], ARGV[i]) == 0 then
    redis.call('ZREM', KEYS[2], ARGV[i])
    redis.call('HDEL', KEYS[3], ARGV[i])
  end
end
local function take()
  if limit > 0 then -- known for as long as the replica has calls in flight
    redis.call('HSET', KEYS[3], '@' .. ARGV[2], string.format('%.0f %s', now + lease, ARGV[3]))
    redis.call('PEXPIRE', KEYS[3], lease + turn)
  end
  redis.call('ZADD', KEYS[1], now + lease, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], lease)
  if redis.call('ZREM', KEYS[2], ARGV[1]) == 1 then redis.call('HDEL', KEYS[3], ARGV[1]) end
  return 1
end
if limit == 0 or ARGV[7] == '1' or redis.call('ZSCORE', KEYS[1], ARGV[1]) then return take() end
-- The largest limit of the replicas counts, or one that has learned little would wait until the others send nothing.
local seen = redis.call('HGETALL', KEYS[3])
for i = 1, #seen, 2 do
  local till, of = string.match(seen[i + 1], '^(%d+) (%d+)$')
  if tonumber(till) <= now then
    redis.call('HDEL', KEYS[3], seen[i])
    redis.call('ZREM', KEYS[2], seen[i])
  elseif seen[i] ~= '@' .. ARGV[2] then
    limit = math.max(limit, tonumber(of))
  end
end
local free = limit - redis.call('ZCARD', KEYS[1])
if free > 0 and redis.call('ZCARD', KEYS[2]) == 0 then return take() end -- nobody waits
redis.call('HSET', KEYS[3], '@' .. ARGV[2], string.format('%.0f %s', now + lease, ARGV[3]), ARGV[1], string.format('%.0f 0', now + turn))
redis.call('PEXPIRE', KEYS[3], lease + turn)
redis.call('ZADD', KEYS[2], 'NX', now + ARGV[4], ARGV[1])
redis.call('PEXPIRE', KEYS[2], lease + turn)
if redis.call('ZRANK', KEYS[2], ARGV[1]) < free then return take() end
return 0
