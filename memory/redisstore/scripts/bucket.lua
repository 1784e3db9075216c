-- Token bucket, refilled by the server's clock.
-- KEYS[1] the bucket; ARGV: tokens a second, size, tokens wanted. Returns the ms until enough tokens are available, 0 if they were taken.
local rate, size, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local b = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(b[1]) or size, tonumber(b[2]) or now
tokens = math.min(size, tokens + math.max(0, now - at) / 1000 * rate)
local wait = 0
if tokens >= want then tokens = tokens - want else wait = math.ceil((want - tokens) / rate * 1000) end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.3f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(size / rate * 1000) + 1000)
return wait
