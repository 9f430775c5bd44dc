-- SPDX-License-Identifier: Apache-2.0
-- The gate: no job starts unless the Maui scheduler says so. A job is kept by
-- priority 0, and its site factor, which users can neither see nor set, says why:
--   1  kept: the scheduler may start it
--   2  held: by its owner (JobHeldUser) or by an administrator (JobHeldAdmin)
--   3  lifted: an administrator released all holds; the scheduler makes it 1 again
-- The scheduler is known by its user together with a node list in the request, which
-- scontrol hold and release never send. While the heartbeat is old the gate is open and
-- Slurm schedules alone. By hand, as an administrator:
--   scontrol update jobid=J reqnodelist=NODES numnodes=N-N admincomment=go
--   scontrol release J

local SCHEDULER = @UID@           -- user that the scheduler runs as
local ADMIN = { [0] = true, [@UID@] = true }
local HEARTBEAT = "@HEARTBEAT@"   -- seconds since 1970, renewed every 2 seconds
local MAX_AGE = @MAXAGE@          -- older: the scheduler is gone; 0: never look
local EVENTS = "@EVENTS@"         -- a byte here wakes the scheduler
local MARKS = "@MARKS@"
local KEPT, HELD, LIFTED = 1, 2, 3
local PENDING = 0

local function alive()
	if MAX_AGE == 0 then return true end
	local f = io.open(HEARTBEAT, "r")
	if not f then return false end
	local t = f:read("*n")
	f:close()
	return t ~= nil and os.time() - t <= MAX_AGE
end

local function wake()
	local f = io.open(EVENTS, "a")
	if f then
		f:write(".")
		f:close()
	end
end

-- For an adapter that cannot see the site factor (TRANSPORT=SCONTROL): a file for each
-- job whose mark has changed since its submission. No folder, no files.
local stranger = false -- asks for a change that Slurm, which is asked later, refuses

local function tell(id, what)
	if stranger then return end
	local f = io.open(MARKS .. "/" .. id, "w")
	if f then
		f:write(what)
		f:close()
	end
end

-- To an adapter that reads scontrol a line is a job: no text may hold another line.
local TEXTS = { "account", "comment", "container", "mail_user", "name", "network",
	"std_err", "std_in", "std_out", "wckey", "work_dir" }

local function breaks_lines(text, what)
	if not text or not string.find(text, "\n", 1, true) then return false end
	slurm.log_user("the job's " .. what .. " has a line break in it")
	return true
end

local function has_lines(job)
	for _, name in ipairs(TEXTS) do
		if breaks_lines(job[name], name) then return true end
	end
	for _, word in pairs(job.argv or {}) do
		if breaks_lines(word, "command") then return true end
	end
	return false
end

function slurm_job_submit(job, partitions, uid)
	if has_lines(job) then return slurm.ERROR end
	local held = job.priority == 0
	if not held and not alive() then return slurm.SUCCESS end
	job.site_factor = held and HELD or KEPT
	job.admin_comment = held and "maui:held" or "maui:kept"
	job.priority = 0
	wake()
	return slurm.SUCCESS
end

local function hold(job, current, uid)
	local ours = ADMIN[uid] and current.admin_comment == "maui:keep"
	job.site_factor = ours and KEPT or HELD
	tell(current.job_id, ours and KEPT or HELD)
end

-- Of a release: is it to start the job?
local function goes(current, uid)
	local c = ADMIN[uid] and current.admin_comment
	return c and (c == "go" or string.match(c, "^maui:asked;.*;go$"))
end

-- What the scheduler shows of a waiting job: "maui: why it waits #BEGIN", BEGIN being a
-- begin time that is not the owner's.
local function is_note(comment)
	return comment ~= nil and string.sub(comment, 1, 6) == "maui: "
end

-- Somebody starts it by hand, or Slurm will: that begin time goes.
local function drop_begin(job, current)
	local t = is_note(current.admin_comment)
	    and string.match(current.admin_comment, "#(%d+)$")
	if t and tonumber(t) > os.time() and job.begin_time == 0 then
		job.begin_time = os.time()
	end
end

function slurm_job_modify(job, current, partitions, uid)
	stranger = not ADMIN[uid] and uid ~= current.user_id
	if has_lines(job) then return slurm.ERROR end
	if is_note(job.admin_comment) and ADMIN[uid] then
		local kept = current.job_state == PENDING and current.priority == 0
		return kept and slurm.SUCCESS or slurm.ERROR
	end
	if job.admin_comment ~= nil
	    or (job.priority ~= 0 and job.priority ~= slurm.NO_VAL) then
		drop_begin(job, current)
	end
	if (uid == SCHEDULER and job.req_nodes ~= nil)
	    or current.job_state ~= PENDING then
		return slurm.SUCCESS
	end
	if job.admin_comment == "maui:mark" and ADMIN[uid] then -- the adapter asks
		local what = current.site_factor or 0
		if what >= 2147483648 then what = what - 2147483648 end
		tell(current.job_id, what)
		job.admin_comment = what == HELD and "maui:held" or "maui:kept"
		return slurm.SUCCESS
	end
	if job.priority == 0 then
		hold(job, current, uid)
	elseif job.priority ~= slurm.NO_VAL then
		if not alive() then
			job.site_factor = KEPT
			tell(current.job_id, KEPT)
			return slurm.SUCCESS
		end
		if goes(current, uid) then
			return slurm.SUCCESS
		end
		-- a release, or some priority: the hold goes, the job stays kept
		job.site_factor = ADMIN[uid] and LIFTED or KEPT
		tell(current.job_id, ADMIN[uid] and LIFTED or KEPT)
		job.priority = slurm.NO_VAL
	elseif current.priority ~= 0 and alive() then
		-- changed between its release and its start: keep it again
		job.priority = 0
	end
	wake()
	return slurm.SUCCESS
end

@CHAIN@return slurm.SUCCESS
