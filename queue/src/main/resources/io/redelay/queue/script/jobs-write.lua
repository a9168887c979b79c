-- Keeps the jobs that give commands on many messages: begins one, assigns those of dead instances to another, notes the progress of
-- one, stops one.
--
-- I3  an existing job is not begun again; a note with the number of an earlier one changes nothing; a job that has ended stays so.
-- I4  an instance has a job for as long as its lease lasts, which each note renews. A note of an instance that has lost the job does
--     nothing.
-- I7  the first write deletes: jobs go on, and empty queues, while Redis is full.
-- I8  MOST_RUNNING jobs run at a time; of the ended ones MOST_ENDED are kept, for DAY_MS.
--
--@keys jobs
-- KEYS.jobs   id -> what is to be done, JSON; id/at -> how far it is, JSON; id/run -> RUNNING, DONE, STOPPED or FAILED, when the
--                owner's lease is over, number of the last note, when it began, when it ended or 0, the owner (an instance); with a
--                blank between each two; /running -> the ids of running jobs, the first one first, with blanks between: an
--                instance that looks for jobs reads no others
-- ARGV[1] what
-- ARGV[2..] 'begin'  id, what is to be done, the owner or '', how long its lease is, ms
--           'take'   the instance that takes over jobs without an owner, how long its lease is, how many at most
--           'note'   id, the owner, how long its lease is from now or 0 to give the job up, number of the note, RUNNING, DONE or
--                    FAILED, how far it is
--           'stop'   id
-- reply   a list: OK, now, how many run, and four a job, of the one named or of those that were taken: id, and the values of its three
--         fields: run, what is to be done, how far it is
--         FULL, now: too many run; UNKNOWN, now: there is no such job; LOST, now: another instance has it
--@include clock
local jobs, what = KEYS.jobs, ARGV[1]
local MOST_RUNNING, MOST_ENDED, DAY_MS = 50, 100, 86400000
local RUNNING_FIELD = '/running' -- no id is empty
redis.call('HDEL', jobs, '') -- deletes nothing

local function job_of(id)
  local run, request, at = unpack(redis.call('HMGET', jobs, id .. '/run', id, id .. '/at'))
  if not run then
    return nil
  end
  local state, till, number, began, ended, instance = string.match(run, '^(%u+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  if not state or not request then
    return nil -- written by another version, whose instances continue it
  end
  return { id = id, state = state, till = tonumber(till), number = tonumber(number), began = began, ended = ended, instance = instance,
    request = request, at = at or '' }
end

local function run_of(job)
  return string.format('%s %.0f %.0f %s %s %s', job.state, job.till, job.number, job.began, job.ended, job.instance)
end

local function write(job)
  redis.call('HSET', jobs, job.id .. '/run', run_of(job))
end

local running = {} -- ids
for id in string.gmatch(redis.call('HGET', jobs, RUNNING_FIELD) or '', '%S+') do
  running[#running + 1] = id
end

-- Keeps the key for as long as a job runs, however rarely one begins or ends.
local function keep()
  redis.call('PEXPIRE', jobs, #running > 0 and 30 * DAY_MS or DAY_MS)
end

local function set_running(id, runs)
  for i = #running, 1, -1 do
    if running[i] == id then
      table.remove(running, i)
    end
  end
  if runs then
    running[#running + 1] = id
  end
  if #running > 0 then
    redis.call('HSET', jobs, RUNNING_FIELD, table.concat(running, ' '))
  else
    redis.call('HDEL', jobs, RUNNING_FIELD)
  end
end

-- Removes jobs that ended long ago, and the oldest ones of too many.
local function tidy()
  local ended = {}
  for _, field in ipairs(redis.call('HKEYS', jobs)) do
    local id = string.match(field, '^(.+)/run$')
    local job = id and job_of(id)
    if job and job.state ~= 'RUNNING' then
      ended[#ended + 1] = job
    end
  end
  table.sort(ended, function(one, other)
    return tonumber(one.ended) > tonumber(other.ended)
  end)
  for i, job in ipairs(ended) do
    if i > MOST_ENDED or now - tonumber(job.ended) > DAY_MS then
      redis.call('HDEL', jobs, job.id, job.id .. '/run', job.id .. '/at')
    end
  end
  keep()
end

local reply = { 'OK', stamp, '' }
local function add_to_reply(job)
  for _, value in ipairs({ job.id, run_of(job), job.request, job.at }) do
    reply[#reply + 1] = value
  end
end

local function end_as(job, state)
  job.state, job.ended, job.till = state, stamp, 0
  write(job)
  set_running(job.id, false)
  tidy()
end

if what == 'begin' then
  local id, request, instance, lease = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
  local job = job_of(id)
  if not job then
    if #running >= MOST_RUNNING then
      return { 'FULL', stamp }
    end
    job = { id = id, state = 'RUNNING', till = now + lease, number = 0, began = stamp, ended = '0', instance = instance, request = request, at = '' }
    redis.call('HSET', jobs, id, request)
    write(job)
    set_running(id, true)
    tidy()
  end
  add_to_reply(job)
elseif what == 'take' then
  local instance, lease, most = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
  for _, id in ipairs(running) do
    local till, has = string.match(redis.call('HGET', jobs, id .. '/run') or '', '^%u+ (%d+) %d+ %d+ %d+ (.*)$')
    local job = most > 0 and till and (tonumber(till) <= now or has == '') and job_of(id)
    if job then
      most = most - 1
      job.instance, job.till = instance, now + lease
      write(job)
      add_to_reply(job)
    end
  end
else
  local job = job_of(ARGV[2])
  if not job then
    return { 'UNKNOWN', stamp }
  elseif what == 'stop' then
    if job.state == 'RUNNING' then
      end_as(job, 'STOPPED')
    end
  elseif job.instance ~= ARGV[3] then
    return { 'LOST', stamp }
  elseif tonumber(ARGV[5]) > job.number then
    job.number, job.at = tonumber(ARGV[5]), ARGV[7]
    redis.call('HSET', jobs, job.id .. '/at', job.at)
    if job.state == 'RUNNING' and ARGV[6] ~= 'RUNNING' then
      end_as(job, ARGV[6])
    else
      job.till = job.state == 'RUNNING' and now + tonumber(ARGV[4]) or 0
      write(job)
      keep()
    end
  end
  add_to_reply(job)
end
reply[3] = string.format('%d', #running)
return reply
