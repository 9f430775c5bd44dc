-- SPDX-License-Identifier: Apache-2.0
-- The gate: no job starts unless the Maui scheduler says so. A job is kept by
-- priority 0, and its site factor, which users can neither see nor set, says why:
--   1  kept: the scheduler may start it
--   2  held: by its owner (JobHeldUser) or by an administrator (JobHeldAdmin)
--   3  lifted: an administrator released all holds; the scheduler makes it 1 again
-- and, times 4, the priority that an administrator gave it (0: none); above both, whether
-- it is an administrator who holds it.
-- Slurm judges at submission whether nodes could ever do, but no job at priority 0. So a new
-- one is kept by a begin time a minute ahead instead, in which the scheduler takes it into
-- its hands: priority 0, and the begin time goes. Where Slurm never starts any by itself
-- (MAX_AGE 0) that begin time is none that comes.
-- What the scheduler orders is known by who asks (its user, SlurmUser or root, which a
-- letgo may be) together with a node list in the request, which scontrol hold and release
-- never send; what it notes, by the comment ("maui: ..."). While the heartbeat is old the
-- gate is open and Slurm schedules alone. An administrator starts a job past the scheduler:
--   scontrol update jobid=J reqnodelist=NODES numnodes=N-N admincomment=go
--   scontrol release J

local SCHEDULER = @UID@           -- user that the scheduler runs as
local ADMIN = { [0] = true, [@UID@] = true }
local HEARTBEAT = "@HEARTBEAT@"   -- seconds since 1970, renewed every 2 seconds
local MAX_AGE = @MAXAGE@          -- older: the scheduler is gone; 0: never look
local EVENTS = "@EVENTS@"         -- a byte here wakes the scheduler
local MARKS = "@MARKS@"
local MARKING = "@MARKING@"
-- Slurm takes what the C library said last of a failure for its own, of a change of
-- partition or account where there is no slurmdbd: of a file that is not there, in 26.05 of
-- slurmctld's own reading, too. It is made to forget it.
local missed = false

local function open_file(path, mode)
	local f = io.open(path, mode)
	missed = missed or f == nil
	return f
end

-- By a look-up, which sets what is said to nothing; of a user other than root.
local function forget_missed(job)
	local name = (missed or job.partition or job.account) and job.user_name
	missed = name == nil
end

-- SlurmUser, as which this runs, may order all that root may: `maui slurm letgo` does.
local status = open_file("/proc/self/status", "r")
local slurm_user = status and string.match(status:read("*a"), "Uid:%s+%d+%s+(%d+)")
if status then status:close() end
if slurm_user then ADMIN[tonumber(slurm_user)] = true end
local KEPT, HELD, LIFTED = 1, 2, 3
local PENDING, STATES = 0, 256    -- flags stand above the states
-- Those of jobs that Slurm itself may hold: for their exit, as they came back (COMPLETING:
-- they are on their nodes yet), or for a reservation that is gone.
local SLURMS_HOLDS = { 4096, 32768, 2097152 }
local INFINITE = 4294967295       -- as a priority: a release
local MOST = 268435455            -- the largest priority there is room for
local ADMINS = 1073741824         -- in a mark, above it: held by an administrator
-- Slurm's own errors
local DENIED, NOT_THEIRS, NOT_TOP, BUSY, IS_HELD = 2002, 2010, 2013, 2016, 2042
local NOT_NOW, NOT_PENDING = 2020, 2073

-- What the heartbeat says: the time; may a job that does not wait start beside those that
-- do ("free"), and on which nodes not; does the adapter take new jobs into its hands
-- ("judged"), has it not to be told of marks ("nomarks"); numbers of the users that are
-- operators.
local function read_beat()
	local f = open_file(HEARTBEAT, "r")
	if not f then return nil end
	local t, words, nodes, operators = f:read("*n", "*l", "*l", "*l")
	f:close()
	return t, words or "", nodes, operators
end

local function has_word(line, word)
	return line ~= nil and string.find(" " .. line .. " ", " " .. word .. " ", 1, true) ~= nil
end

-- May the user do to any job what its owner may not?
local function is_privileged(uid)
	if ADMIN[uid] then return true end
	local _, _, _, operators = read_beat()
	return has_word(operators, string.format("%d", uid))
end

-- Is the scheduler there? And how old is its last sign of life, in seconds, where it can
-- take new jobs into its hands.
local function alive()
	local t, words, nodes = read_beat()
	local age = t and os.time() - t or math.huge
	if MAX_AGE ~= 0 and age > MAX_AGE then return false end
	local judged = words and string.find(words, " judged", 1, true) ~= nil
	return true, words and string.match(words, "%a+"), nodes, judged and age or math.huge
end

-- May the user, by being a coordinator of its account, do as much as its owner? By a file
-- that not everybody may read: "1003:physics 1004:chem". It is as true as the scheduler is
-- there to keep it so.
local function is_coordinator(uid, current)
	local f = current.account ~= nil and alive() and open_file(MARKING .. "/coordinators", "r")
	if not f then return false end
	local all = f:read("*l")
	f:close()
	return has_word(all, string.format("%d:%s", uid, current.account))
end

local function wake()
	local f = open_file(EVENTS, "a")
	if f then
		f:write(".")
		f:close()
	end
end

-- For an adapter that cannot see the site factor (TRANSPORT=SCONTROL): a file for each job
-- whose mark has changed since its submission. Others say in their heartbeat that they need
-- none ("nomarks"), or have made no folder for them.
-- Of who is neither that nor the owner Slurm is asked later: a coordinator of its account
-- may do as much as its owner, others nothing. Then the file says that the adapter has to
-- ask what came of it. Numbers are used again: whose job it is and when it was submitted
-- stand behind it.
local privileged, stranger, coordinator = false, false, false

local function tell(current, what)
	local _, words = read_beat()
	if words and string.find(words, " nomarks", 1, true) then return end
	local f = open_file(string.format("%s/%d", MARKS, current.job_id), "w")
	if f then
		f:write(stranger and "?" or string.format("%d", what),
		    string.format(" %d %d", current.user_id, current.submit_time or 0))
		f:close()
	end
end

-- A request to an array, or to a heterogeneous job, comes once for each of its records,
-- but of its site factor Slurm keeps what was written for the first: it refuses an owner
-- the next record then, and writes an administrator's into all of them. So none is left
-- there. What it is to be stands in a file, with the factor that it replaces, until the
-- scheduler has asked for that record alone (SETTING). Who is neither owner, coordinator
-- nor administrator may be refused behind the gate: nothing is said there.
local SETTING = "maui:mark;set"

local function is_of_several(current)
	return current.array_job_id ~= 0 or (current.het_job_id or 0) ~= 0
end

local function read_factor(current)
	local factor = current.site_factor or 0
	return factor >= 2147483648 and factor - 2147483648 or factor
end

local newest = 0 -- number of a record that was here

-- The number of the newest record that there is: many are made without a request that
-- comes here. Slurm lists them anew once a second at most. Cost: that of all records.
local function find_newest()
	for number in pairs(slurm.jobs or {}) do
		newest = math.max(newest, tonumber(number) or 0)
	end
	return newest
end

-- By number, whether a file is there. The gate alone makes any, so that each is looked for
-- in vain once.
local KNOWN_MOST = 20000
local known, known_n = {}, 0

local function note_file(id, there)
	if known_n >= KNOWN_MOST then known, known_n = {}, 0 end
	if known[id] == nil then known_n = known_n + 1 end
	known[id] = there
end

-- Another slurmctld (a backup, or one of before) may have made one meanwhile.
local function forget_file(id)
	if known[id] ~= nil then known_n = known_n - 1 end
	known[id] = nil
end

local function name_pending(id)
	return string.format("%s/%d", MARKING, id)
end

-- Numbers are used again: is the file of this job, and of no earlier one? That of a job
-- that came back into the queue has been submitted anew then. Older files say neither.
local function is_of(current, user, submitted)
	return user == nil or (user == current.user_id
	    and (submitted == current.submit_time or (current.restart_cnt or 0) > 0))
end

-- What it is to be, the newest record of then, and when the job of the file was submitted.
-- nil: there is none, or the record has got another factor since.
local function read_file(id, current)
	local f = known[id] ~= false and open_file(name_pending(id), "r")
	note_file(id, f and true or false)
	if not f then return nil end
	local value, factor, before, user, submitted = f:read("*n", "*n", "*n", "*n", "*n")
	f:close()
	if factor == read_factor(current) and is_of(current, user, submitted) then
		return value, before, submitted
	end
end

local function remove_pending(current)
	local id = current.job_id
	read_file(id, current)
	if known[id] then missed = not os.remove(name_pending(id)) or missed end
	note_file(id, false)
end

-- With the newest record that there was, which matters for that of an array as a whole.
-- False: there is no folder for it (no adapter yet, or an older one).
local function write_pending(current, value, factor)
	local id = current.job_id
	local path = name_pending(id)
	local f = open_file(path .. ".new", "w")
	if not f then return false end
	local ok = f:write(string.format("%d %d %d %d %d\n", value, factor,
	    current.array_job_id == id and find_newest() or newest, current.user_id, current.submit_time or 0))
	ok = f:close() and ok -- a full disk is found out here
	if not ok or not os.rename(path .. ".new", path) then
		os.remove(path .. ".new") -- what stood there before stands
		missed = true
		return false
	end
	note_file(id, true)
	return true
end

-- By number, what was meant for its array and the task has got, or something later instead:
-- that of the array may wait for long, and is not to come again over what was said since.
local taken, taken_n = {}, 0

local function note_taken(id, which)
	if taken[id] == nil then
		if taken_n >= KNOWN_MOST then taken, taken_n = {}, 0 end
		taken_n = taken_n + 1
	end
	taken[id] = which
end

-- A task that has left the record of its array since is a record with a new number, and
-- meant as well. Once: with what is to be noted as taken. nil: there is nothing for it.
local function read_of_array(current)
	local id, array = current.job_id, current.array_job_id
	if array == 0 or array == id then return nil end
	local value, before, submitted = read_file(array, current)
	if not value or id <= (before or id) then return nil end
	local which = string.format("%d:%d:%d", value, before, submitted or 0)
	if taken[id] ~= which then return value, which end
end

local function read_pending(current)
	if not is_of_several(current) then return nil end
	local value = read_file(current.job_id, current)
	if value then return value end
	local of_array, which = read_of_array(current)
	if of_array and write_pending(current, of_array, read_factor(current)) then
		note_taken(current.job_id, which)
	end
	return of_array
end

-- False: the request has to have it.
local function put_pending(current, value)
	local factor = read_factor(current)
	if (stranger and not coordinator) or not is_of_several(current) then return false end
	local _, which = read_of_array(current)
	if which then note_taken(current.job_id, which) end
	if value ~= factor then return write_pending(current, value, factor) end
	remove_pending(current)
	return true
end

local function mark(job, current, what, own, admins)
	local value = what + 4 * own + (admins and ADMINS or 0)
	if not put_pending(current, value) then job.site_factor = value end
	tell(current, value)
end

-- Its mark, the priority that an administrator gave it, and does one hold it?
local function read_mark(current)
	local value = read_pending(current) or read_factor(current)
	local what = value % 4
	local admins = what == HELD and value >= ADMINS
	if admins then value = value - ADMINS end
	return what, math.min(math.floor(value / 4), MOST), admins -- older marks had more room
end

local function is_number(priority)
	return priority ~= slurm.NO_VAL and priority ~= INFINITE and priority ~= 0
end

-- One that does not wait (salloc -I, srun -I): Slurm itself starts it at once or says that
-- it cannot, but never before those that wait here, nor on nodes that are reserved here.
local function submit_now(job, word, nodes)
	if word ~= "free" then return word == "waiting" and NOT_TOP or BUSY end
	job.site_factor = KEPT
	if nodes and nodes ~= "" and not job.reservation then
		job.exc_nodes = (job.exc_nodes and job.exc_nodes .. "," or "") .. nodes
	end
	return slurm.SUCCESS
end

-- The site's own, which stays there.
local function is_remark(comment)
	return comment ~= nil and comment ~= "" and comment ~= "go"
	    and not string.find(comment, "^maui:")
end

-- A start notes what was asked behind the remark that stands there now: the scheduler's
-- last look may be older than that.
local REMARK_MAX = 700 -- bytes, as the adapter cuts it

local function keep_remark(job, current)
	local asked = string.match(job.admin_comment or "", "maui:asked;.*$")
	if not asked then return end
	local remark = current.admin_comment
	if is_remark(remark) then
		remark = string.match(remark, "^(.-) maui:asked;") or remark
		asked = string.sub(remark, 1, REMARK_MAX) .. " " .. asked
	end
	job.admin_comment = asked
end

-- One to be judged by Slurm: by which begin time it is kept meanwhile, its owner's if that
-- is late enough. nil: at priority 0 from the beginning. The note says that it is not the
-- owner's, and what an administrator said leaves it no place.
local TAKEN = 60 -- seconds, in which the scheduler surely has it
local FRESH = 5  -- how old a sign of life may be for that
local NEVER = 4294967295  -- Slurm's commands print "Unknown"
local BEFORE = 4000000000 -- that of earlier releases, and of scontrol

-- Those that it has yet to take, and some that Slurm has refused. With more at once it might
-- not be through in time, and they are kept at priority 0 from the beginning. One user has
-- not all the places: others are judged meanwhile.
local NEW_MAX, NEW_USER = 300, 200
local new_jobs, new_by = 0, {} -- by user: how many, by the second of their coming
local new_swept = 0

-- Nobody takes one that was cancelled before: it counts no longer than one may wait.
local function sweep_new(now)
	if now == new_swept then return end
	new_swept = now
	for uid, seconds in pairs(new_by) do
		for at, n in pairs(seconds) do
			if now - at > TAKEN or at > now then
				seconds[at], new_jobs = nil, new_jobs - n
			end
		end
		if next(seconds) == nil then new_by[uid] = nil end
	end
end

local function count_new(uid)
	local now = os.time()
	local seconds = new_by[uid] or {}
	new_by[uid], new_jobs = seconds, new_jobs + 1
	seconds[now] = (seconds[now] or 0) + 1
end

local function is_storm(uid)
	local mine = 0
	sweep_new(os.time())
	for _, n in pairs(new_by[uid] or {}) do mine = mine + n end
	return new_jobs >= NEW_MAX or mine >= NEW_USER
end

-- The scheduler has it: the oldest, as any of them.
local function discount_new(current)
	local seconds, oldest = new_by[current.user_id], nil
	if not seconds or not string.find(current.admin_comment or "", "^maui: new") then
		return
	end
	for at in pairs(seconds) do oldest = math.min(oldest or at, at) end
	if not oldest then return end
	new_jobs = new_jobs - 1
	seconds[oldest] = seconds[oldest] > 1 and seconds[oldest] - 1 or nil
end

local function begin_judged(job, own, age, uid)
	local now, asked = os.time(), job.begin_time or 0
	if is_storm(uid) then return nil end
	if age > FRESH or own > 0 or is_remark(job.admin_comment) or job.cron_job then
		return nil
	end
	if MAX_AGE == 0 then return asked <= now and NEVER or nil end
	if asked > now + TAKEN then return asked end
	return asked <= now and now + TAKEN or nil
end

local function comment_new(held, own, begin, asked)
	if held then return "maui:held" end
	if own > 0 then return string.format("maui:kept;priority=%d", own) end
	if begin and begin ~= asked then return string.format("maui: new #%d", begin) end
	return "maui:kept"
end

-- What is ours begins with a start. In a new job it would be an owner's, who would have
-- the scheduler ask for what Slurm gives no user.
local function clean_remark(comment)
	return comment and (string.match(comment, "^(.-) ?maui:asked;") or comment)
end

-- scontrol prints the working folder just before the administrator's comment, which not each
-- job has: a folder's name may not pass for that with TRANSPORT=SCONTROL.
local function imitates(job)
	if not string.find(job.work_dir or "", "AdminComment=", 1, true) then return false end
	if slurm.log_user then slurm.log_user("AdminComment= in the name of the working folder") end
	return true
end

function slurm_job_submit(job, partitions, uid)
	if imitates(job) then return slurm.ERROR end
	if string.find(job.admin_comment or "", "maui:", 1, true) then
		job.admin_comment = clean_remark(job.admin_comment)
	end
	local held = job.priority == 0
	local there, word, nodes, age = alive()
	if not held and not there then return slurm.SUCCESS end
	if not held and job.immediate == 1 then return submit_now(job, word, nodes) end
	local own = is_number(job.priority) and is_privileged(uid) and math.min(job.priority, MOST) or 0
	job.site_factor = (held and HELD or KEPT) + 4 * own
	local begin = not held and begin_judged(job, own, age, job.user_id) or nil
	if not is_remark(job.admin_comment) then
		job.admin_comment = comment_new(held, own, begin, job.begin_time)
	end
	if begin then
		job.begin_time = begin
		count_new(job.user_id)
	else
		job.priority = 0
	end
	wake()
	return slurm.SUCCESS
end

-- What the scheduler shows of a waiting job: "maui: why it waits #BEGIN", BEGIN being a
-- begin time that is not the owner's.
local function is_note(comment)
	return comment ~= nil and string.sub(comment, 1, 6) == "maui: "
end

-- The begin time that stands in such a note; nil in others.
local function noted_begin(current)
	return is_note(current.admin_comment)
	    and tonumber(string.match(current.admin_comment, "#(%d+)$"))
end

-- A begin time of ours goes: when it is released the scheduler may not be there to do so.
local late_hold = {} -- the last between the two requests of a start (scontrol)

local function hold(job, current, uid)
	local noted = noted_begin(current)
	if noted and noted > os.time() and job.begin_time == 0 then
		job.begin_time = os.time()
	end
	local what, own, admins = read_mark(current)
	local comment = current.admin_comment or ""
	local ours = ADMIN[uid] and string.find(comment, "^maui:keep")
	if what == HELD and string.find(comment, ";back$")
	    or string.find(comment, ";new$") and (what == HELD or current.priority == 0) then
		ours = nil -- a second hold: one of them is somebody else's
	end
	if not ours and string.find(comment, "maui:asked;.*;go$") then
		late_hold = { id = current.job_id, at = os.time() }
	end
	mark(job, current, ours and KEPT or HELD, own,
	    not ours and (privileged or (what == HELD and admins)))
end

-- Whose hold it is says Slurm's reason, which is not seen here (scontrol uhold): so does
-- the scheduler, in the comment, where that is not the site's.
local HOLDERS = { ["maui:admin"] = 1, ["maui:held"] = 0 }

local function name_holder(job, current)
	local what, own, admins = read_mark(current)
	local shall = HOLDERS[job.admin_comment] == 1
	if what == HELD and admins ~= shall then mark(job, current, HELD, own, shall) end
	if is_remark(current.admin_comment) then job.admin_comment = current.admin_comment end
end

-- The scheduler takes a job into its hands, as it saw it: what somebody has made of its
-- hold and priority since then stays.
local function take(job, current)
	local what, own, admins = read_mark(current)
	local remark = clean_remark(current.admin_comment)
	mark(job, current, what == HELD and HELD or KEPT, own, what == HELD and admins)
	if what == HELD and current.priority == 0 then job.priority = slurm.NO_VAL end
	job.admin_comment = is_remark(remark) and remark
	    or what == HELD and "maui:held" or "maui:kept"
end

local function is_taking(job)
	return job.admin_comment == "maui:kept;new" or job.admin_comment == "maui:kept;back"
end

-- Of a release: is it to start the job?
local function goes(current, uid)
	local c = ADMIN[uid] and current.admin_comment
	return c and (c == "go" or string.match(c, "maui:asked;.*;go$"))
end

-- The scheduler's own order, or one of `maui slurm letgo`, which may be root's where the
-- scheduler is somebody else.
-- scontrol has no list for a component: there the comment says it.
local function is_ordered(job, uid, current)
	if not ADMIN[uid] or job.req_nodes ~= nil then return ADMIN[uid] end
	local comment = (current.het_job_id or 0) ~= 0 and job.admin_comment or ""
	return HOLDERS[comment] or comment == "go" or string.find(comment, "maui:asked;", 1, true)
	    or string.find(comment, "^maui:ke[ep][pt]") or string.find(comment, "^maui:held")
end

-- Of a job that runs a number of nodes would be its new size, and a hold or a release is
-- nothing that was meant. An administrator's own resizing has neither of the two.
local function is_for_waiting(job, uid, current)
	return is_ordered(job, uid, current) and (job.priority ~= slurm.NO_VAL
	    or string.find(job.admin_comment or "", "maui:", 1, true) ~= nil)
end

-- Whatever flag it has: an array that a task has just left has one, to be told to slurmdbd.
local function is_waiting(current)
	return current.job_state % STATES == PENDING
end

-- May it be Slurm itself that holds the job? The flag may stay until the job is started.
local function is_slurms_hold(current)
	if current.priority ~= 0 then return false end
	for _, flag in ipairs(SLURMS_HOLDS) do
		if current.job_state % (2 * flag) >= flag then return true end
	end
	return false
end

-- What somebody has changed a moment ago of that which a start overwrites: the scheduler may
-- have decided on it before it saw that. What Slurm refused behind the gate stands here, too.
local SEEN = 2 -- seconds in which the scheduler surely sees a change
local ASKED = { req_nodes = "nodes", features = "features", exc_nodes = "exclude",
    partition = "partition" }
local COUNTS = { "min_nodes", "max_nodes", "time_limit", "time_min" }
local changes, changes_tidied = {}, 0

local function is_seen(change) -- or of a clock that went back since
	local age = os.time() - change.at
	return age > SEEN or age < 0
end

local function remember_change(job, current)
	local now = os.time()
	local set
	for name in pairs(ASKED) do
		if job[name] ~= nil then set = set or {}; set[name] = job[name] end
	end
	for _, name in ipairs(COUNTS) do
		local n = job[name]
		if n ~= nil and n ~= slurm.NO_VAL then set = set or {}; set[name] = n end
	end
	if now - changes_tidied > SEEN or now < changes_tidied then
		for id, one in pairs(changes) do
			if is_seen(one) then changes[id] = nil end
		end
		changes_tidied = now
	end
	if not set then return end
	for name, value in pairs(changes[current.job_id] or {}) do
		if set[name] == nil then set[name] = value end
	end
	set.at = now
	changes[current.job_id] = set
end

-- In one request, or by scontrol in two.
local function is_start(job)
	return (job.priority ~= 0 and job.priority ~= slurm.NO_VAL)
	    or string.find(job.admin_comment or "", "maui:asked;.*;go$") ~= nil
end

-- Was it decided on before the change? The adapter may have seen that since.
local function is_of_before(job, set)
	local n, nodes = job.min_nodes, set.req_nodes or ""
	if nodes ~= "" and job.req_nodes ~= nil and job.req_nodes ~= nodes then return true end
	local most = (set.max_nodes or 0) > 0 and set.max_nodes or n
	return n ~= nil and n ~= slurm.NO_VAL and (n < (set.min_nodes or 0) or n > most)
end

-- A job may be started before the scheduler has taken back the mark of its release: when it
-- comes back held that would say that it was released since.
local function end_lift(job, current)
	local what, own = read_mark(current)
	if what == LIFTED then mark(job, current, KEPT, own) end
end

-- Would it undo such a change? What it says was asked is what the adapter has seen.
local function undoes(job, current)
	local set = changes[current.job_id] or changes[current.array_job_id]
	local asked = string.match(job.admin_comment or "", "maui:asked;.*$")
	if not set or not asked or is_seen(set) then return false end
	if is_of_before(job, set) then return true end
	for name, word in pairs(ASKED) do
		local seen = string.match(asked, ";" .. word .. "=([^;]*)")
		if name == "req_nodes" then seen = seen or "" end
		if set[name] ~= nil and seen and seen ~= set[name] then return true end
	end
	local seen = {}
	seen.min_nodes, seen.max_nodes = string.match(asked, ";count=(%d+)%-(%d+)")
	seen.time_min, seen.time_limit = string.match(asked, ";limit=(%d+)%-(%d+)")
	for _, name in ipairs(COUNTS) do
		if set[name] ~= nil and seen[name] and tonumber(seen[name]) ~= set[name] then return true end
	end
	return false
end

-- A job that came back is given what it asked for before its start: not in place of what
-- somebody has changed since, and Slurm has taken.
local STAYS = { "features", "partition", "min_nodes", "max_nodes", "time_limit", "time_min" }
local LISTS = { "req_nodes", "exc_nodes" } -- whether Slurm has taken those is not seen here

-- An error: the scheduler is to look again. What no start has overwritten stands there.
local function keep_changes(job, current)
	local set = changes[current.job_id] or changes[current.array_job_id]
	if not set or is_seen(set) then return nil end
	for _, name in ipairs(LISTS) do
		if set[name] ~= nil and job[name] ~= nil and job[name] ~= set[name] then
			if string.find(current.admin_comment or "", "maui:asked;", 1, true) then
				return NOT_NOW
			end
			if not is_of_several(current) then job[name] = "" end -- unchanged
		end
	end
	for _, name in ipairs(STAYS) do
		local now = current[name]
		if set[name] ~= nil and set[name] == now and job[name] ~= nil
		    and job[name] ~= slurm.NO_VAL then
			job[name] = now
		end
	end
end

-- Does the scheduler look at new jobs at this moment?
local function is_looking()
	local there, _, _, age = alive()
	return there and MAX_AGE ~= 0 and age <= FRESH
end

-- Changed while it is kept by a begin time: it stays so. A begin time of the owner's keeps
-- it as well, if the scheduler surely has the job before it comes.
local function stays_kept(job, current)
	local noted = noted_begin(current)
	if not noted or noted <= os.time() or current.priority == 0 then return false end
	if job.admin_comment ~= nil and not is_note(job.admin_comment) then
		job.begin_time = os.time() -- the note goes: nobody would know whose it is
		return false
	end
	if job.begin_time <= os.time() then job.begin_time = 0 end
	return job.begin_time == 0 or (job.begin_time > os.time() + TAKEN and is_looking())
end

-- It is kept from now on. For Slurm an administrator who makes a priority 0 holds the job:
-- the mark says that nobody does.
local function keep(job, current, own)
	mark(job, current, (privileged or stranger) and LIFTED or KEPT, own)
	job.priority = 0
end

-- One that Slurm found impossible (BadConstraints) has priority 0, and any change makes
-- Slurm give it another. Nothing says here that it is such a one. For Slurm a coordinator
-- who makes a priority 0 holds the job.
local function stay_at_zero(job, current)
	local what, own = read_mark(current)
	if what == 0 or is_slurms_hold(current) then return end -- what == 0: from before the scheduler
	if not stranger then
		job.priority = 0
	elseif what ~= HELD then
		keep(job, current, own)
	end
end

-- Begin times that somebody has set a moment ago, which the scheduler may not have seen
-- when it decided what it now asks for. Slurm does not show a job's begin time here.
local REMEMBERED = 600 -- seconds
local begins, begins_tidied = {}, 0

-- Slurm has to lift what it set, and gives the job a priority for it: it is kept by a begin
-- time meanwhile, until the scheduler takes it into its hands, however long that is away and
-- counts as there: one that never comes, which says whose it is. One that the owner has set,
-- and that has not come, is only known here where it was set a moment ago.
local function lift_slurms_hold(job, current, own)
	local set, now = begins[current.job_id], os.time()
	job.begin_time = set and set.at > now + math.max(TAKEN, MAX_AGE) and set.at or BEFORE
	mark(job, current, KEPT, own)
	wake()
	return slurm.SUCCESS
end

-- A release, or some priority: the hold goes, the job stays kept. Slurm's words for what
-- it refuses.
local function release(job, current)
	local what, own, admins = read_mark(current)
	if is_number(job.priority) then
		if what == HELD then return IS_HELD end
		if not privileged then return stranger and NOT_THEIRS or DENIED end
		own = math.min(job.priority, MOST)
		mark(job, current, KEPT, own)
	elseif not privileged and (admins or current.admin_comment == "maui:admin") then
		return DENIED
	else
		if what == HELD then own = 0 end
		mark(job, current, privileged and LIFTED or KEPT, own)
	end
	if is_slurms_hold(current) then
		return lift_slurms_hold(job, current, own)
	end
	job.priority = slurm.NO_VAL
	if current.priority ~= 0 and not stays_kept(job, current) then
		keep(job, current, own)
	end
	wake()
	return slurm.SUCCESS
end

local function remember_begin(job, current)
	local now = os.time()
	begins[current.job_id] = { at = job.begin_time, set = now }
	if now - begins_tidied < REMEMBERED then return end
	for id, one in pairs(begins) do
		if now - one.set > REMEMBERED then begins[id] = nil end
	end
	begins_tidied = now
end

-- A request of the scheduler's changes no begin time that another has set; where that is
-- its own it goes when somebody starts the job by hand, or Slurm will.
local function watch_begin(job, current, ours)
	local set, noted = begins[current.job_id], noted_begin(current)
	local theirs = set and set.at > os.time() and set.at ~= noted
	if not ours and job.begin_time ~= 0 then
		if not stranger then remember_begin(job, current) end
	elseif theirs then
		if ours then job.begin_time = 0 end
	elseif noted and noted > os.time() and job.begin_time == 0
	    and not is_note(job.admin_comment)
	    and not string.find(job.admin_comment or "", "^maui:keep") -- it goes in the end
	    and (job.admin_comment ~= nil or (job.priority ~= 0 and job.priority ~= slurm.NO_VAL)) then
		job.begin_time = os.time()
	end
end

-- The adapter asks for the mark, behind the remark that it saw.
local function is_question(job)
	return string.find(job.admin_comment or "", "maui:mark$") ~= nil
end

-- A job that waits for others and that Slurm was given meanwhile (maui slurm letgo): with
-- this note comes the begin time that keeps it.
local function is_kept_again(job, current)
	return (job.begin_time == NEVER or job.begin_time == BEFORE)
	    and (current.admin_comment ~= "go" or job.req_nodes ~= nil)
end

-- What was written into a request for one record stands there for the next: that is taken
-- back first: "" is what Slurm takes for no text, and an empty one, which clears, it lets no
-- script write. Which request it is stands in its "immediate", of which nothing is made in a
-- change of a job. Slurm may begin with one anew when others were there meanwhile.
local FIRST_TOKEN, TOKENS = 1000, 4096
local asked, last_token = {}, 0
local TEXTS = { "admin_comment", "account", "comment", "features", "licenses", "partition",
    "qos", "reservation" }
local NUMBERS = { "priority", "begin_time", "min_nodes", "max_nodes", "time_limit", "time_min" }

local function restore_request(job, current, uid)
	if not is_of_several(current) then return end
	local before = asked[job.immediate]
	if before and before.uid == uid then
		for _, name in ipairs(NUMBERS) do job[name] = before[name] end
		for _, name in ipairs(TEXTS) do
			if job[name] ~= before[name] then job[name] = before[name] or "" end
		end
		return
	end
	before = { uid = uid }
	for _, name in ipairs(NUMBERS) do before[name] = job[name] end
	for _, name in ipairs(TEXTS) do before[name] = job[name] end
	last_token = last_token % TOKENS + 1
	asked[FIRST_TOKEN + last_token] = before
	job.immediate = FIRST_TOKEN + last_token
end

-- What happens to marks, for slurmctld's log at debug level.
local function log_mark(current, what)
	if slurm.log_debug then
		slurm.log_debug(string.format("maui: mark of record %d (factor %d): %s",
		    current.job_id, read_factor(current), what))
	end
end

-- The scheduler asks for what is pending, of this record alone: others that the request
-- comes to would get the same factor, and are refused. Behind this Slurm may refuse the
-- request for reasons of its own. So the file stays until it is asked for once more, when
-- the record has another factor than the one that the file was to replace.
local function set_mark(job, current)
	local request = asked[job.immediate] or {}
	if request.set then return slurm.ERROR end
	forget_file(current.job_id)
	forget_file(current.array_job_id)
	local value = read_pending(current)
	if value then
		job.site_factor, request.set = value, true
		log_mark(current, string.format("%d is put into it", value))
	else
		remove_pending(current)
		log_mark(current, "nothing is pending any more")
	end
	local comment = current.admin_comment or ""
	job.admin_comment = comment ~= SETTING and comment
	    or (value or read_factor(current)) % 4 == HELD and "maui:held" or "maui:kept"
	return slurm.SUCCESS
end

-- The mark is in the request itself.
local function has_mark(job)
	return job.priority == 0 and not is_taking(job)
end

local function judge_known(job, current, uid)
	if ADMIN[uid] and job.admin_comment == SETTING then
		return set_mark(job, current)
	end
	local waits = is_waiting(current)
	if waits then read_pending(current) end -- one that left its array has what is meant for that
	local ordered = is_ordered(job, uid, current)
	if is_for_waiting(job, uid, current) and not waits then
		return NOT_PENDING
	end
	local notes = ADMIN[uid] and is_note(job.admin_comment)
	watch_begin(job, current, notes or ordered)
	if notes then
		local kept = waits
		    and (current.priority == 0 or noted_begin(current)
		        or is_kept_again(job, current))
		    and read_mark(current) ~= HELD
		    and not is_remark(current.admin_comment)
		return kept and slurm.SUCCESS or slurm.ERROR
	end
	if ordered then
		if waits and is_start(job) then
			if undoes(job, current) then return NOT_NOW end
		elseif waits then
			local error = keep_changes(job, current)
			if error then return error end
		end
		keep_remark(job, current)
		discount_new(current)
		if is_of_several(current) and has_mark(job) then
			remove_pending(current)
		elseif waits and job.priority == slurm.NO_VAL and HOLDERS[job.admin_comment] then
			name_holder(job, current)
		end
	end
	if uid == SCHEDULER and waits and is_taking(job) then
		take(job, current)
		return slurm.SUCCESS
	end
	if ordered and is_start(job) and current.priority == 0 and read_mark(current) == HELD then
		return IS_HELD -- since the scheduler saw it last
	end
	if ordered and waits and is_start(job) then end_lift(job, current) end
	if waits and not (ordered and job.admin_comment) and (coordinator or not stranger) then
		remember_change(job, current)
	end
	if ordered or not waits then return slurm.SUCCESS end
	if ADMIN[uid] and is_question(job) then
		local what = read_mark(current)
		tell(current, read_pending(current) or read_factor(current))
		job.admin_comment = is_remark(current.admin_comment) and current.admin_comment
		    or what == HELD and "maui:held" or "maui:kept"
		return slurm.SUCCESS
	end
	if job.priority == 0 then
		hold(job, current, uid)
	elseif job.priority ~= slurm.NO_VAL then
		if not alive() then
			-- what Slurm itself refuses leaves no trace
			local _, _, admins = read_mark(current)
			if privileged or not (admins or current.admin_comment == "maui:admin") then
				mark(job, current, KEPT, 0)
			end
			return slurm.SUCCESS
		end
		if goes(current, uid) then
			return late_hold.id == current.job_id and not is_seen(late_hold) and IS_HELD
			    or slurm.SUCCESS
		end
		return release(job, current)
	elseif current.priority ~= 0 and alive() and not stays_kept(job, current) then
		-- changed between its release and its start: keep it again
		local _, own = read_mark(current)
		keep(job, current, own)
	elseif current.priority == 0 and not privileged and alive() then
		stay_at_zero(job, current)
	end
	wake()
	return slurm.SUCCESS
end

local function judge_change(job, current, uid)
	privileged = is_privileged(uid)
	stranger = not privileged and uid ~= current.user_id
	coordinator = stranger and is_coordinator(uid, current)
	local result = judge_known(job, current, uid)
	newest = math.max(newest, current.job_id)
	forget_missed(job)
	return result
end

-- Slurm 22.05 makes a change of which nobody has judged: an error here refuses it.
local function refuse_unjudged(judge)
	return function(...)
		local ok, result = pcall(judge, ...)
		if ok then return result end
		slurm.log_error("job_submit.lua of the scheduler: %s", tostring(result))
		return slurm.ERROR
	end
end

slurm_job_modify = refuse_unjudged(function(job, current, partitions, uid)
	if imitates(job) then return slurm.ERROR end
	restore_request(job, current, uid)
	return judge_change(job, current, uid)
end)

@CHAIN@return slurm.SUCCESS
