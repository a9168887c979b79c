-- now: the acting master's clock in whole milliseconds, rounded down. No other clock decides anything.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
