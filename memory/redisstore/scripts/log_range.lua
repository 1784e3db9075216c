-- Reads records of a log in order.
-- KEYS[1] the log; ARGV: from (0: the newest snapshot, or the beginning), to (0: the end), limit (0: all).
-- Returns pairs of seq and record.
local low = tonumber(redis.call('HGET', KEYS[1], '@low') or '1')
local head = tonumber(redis.call('HGET', KEYS[1], '@head') or '0')
local from, to, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if from == 0 then from = tonumber(redis.call('HGET', KEYS[1], '@snapshot') or '0') end
if from < low then from = low end
if to == 0 or to > head then to = head end
if limit > 0 and to > from + limit - 1 then to = from + limit - 1 end
local out = {}
for seq = from, to do
  local f = string.format('%d', seq)
  local r = redis.call('HGET', KEYS[1], f)
  if r then
    out[#out + 1] = f
    out[#out + 1] = r
  end
end
return out
