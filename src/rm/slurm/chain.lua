
-- ---- the site's own script: its functions come first, its errors change nothing ----

local SITE = "@SITEFILE@"
local site, site_text = {}, nil
local OURS = {} -- by name: what Slurm calls

-- Files that theirs reads with dofile or require define their functions in _G, where
-- Slurm finds ours: meanwhile theirs stand there, and what was defined goes to `env`.
local function run_theirs(env, f, ...)
	local before = {}
	for name in pairs(OURS) do
		before[name] = rawget(env, name)
		_G[name] = before[name]
	end
	local ok, result = pcall(f, ...)
	for name, ours in pairs(OURS) do
		local theirs = rawget(_G, name)
		if theirs ~= before[name] and rawget(env, name) == before[name] then
			rawset(env, name, theirs)
		end
		_G[name] = ours
	end
	return ok, result
end

local function load_text(text, env)
	if not setfenv then return load(text, "=" .. SITE, "t", env) end
	local chunk, err = loadstring(text, "=" .. SITE)
	return chunk and setfenv(chunk, env), err
end

-- Anew when it has changed; as Slurm does it, one that fails leaves the one before.
local function load_site()
	local f = io.open(SITE, "r")
	local text = f and f:read("*a")
	if f then f:close() end
	if text == site_text then return end
	site_text = text
	local env = setmetatable({}, { __index = _G })
	env._G = env
	local chunk, err = load_text(text or "", env)
	local ok = chunk ~= nil
	if ok then ok, err = run_theirs(env, chunk) end
	if ok and text then
		site = env
	else
		slurm.log_error("%s: %s", SITE, tostring(err or "is not there"))
	end
end

local function call_site(name, ...)
	load_site()
	local f = rawget(site, name)
	if type(f) ~= "function" then return slurm.SUCCESS end
	local ok, result = run_theirs(site, f, ...)
	if not ok then slurm.log_error("%s: %s", SITE, tostring(result)) end
	return ok and type(result) == "number" and result or slurm.SUCCESS
end

if slurm_job_submit then
	local gate_submit = slurm_job_submit

	function slurm_job_submit(job, partitions, uid)
		local result = call_site("slurm_job_submit", job, partitions, uid)
		if result ~= slurm.SUCCESS then return result end
		return gate_submit(job, partitions, uid)
	end

	-- What the scheduler orders and notes is no change that a site's rules are for. Nor is
	-- what root and SlurmUser ask for in its words: a node list, "maui:...", "go".
	local function is_order(job, current, uid)
		return ADMIN[uid] and (is_ordered(job, uid, current)
		    or string.match(job.admin_comment or "", "^maui:")
		    or is_question(job)
		    or string.match(current.admin_comment or "", "^maui:keep") or goes(current, uid))
	end

	slurm_job_modify = refuse_unjudged(function(job, current, partitions, uid)
		restore_request(job, current, uid) -- theirs sees it as it was asked, too
		if not is_order(job, current, uid) then
			local result = call_site("slurm_job_modify", job, current, partitions, uid)
			if result ~= slurm.SUCCESS then return result end
		end
		return judge_change(job, current, uid)
	end)
end

if slurm_jobcomp_log_record then
	local tell_scheduler = slurm_jobcomp_log_record

	function slurm_jobcomp_log_record(job)
		tell_scheduler(job)
		return call_site("slurm_jobcomp_log_record", job)
	end
end

OURS.slurm_job_submit, OURS.slurm_job_modify = slurm_job_submit, slurm_job_modify
OURS.slurm_jobcomp_log_record = slurm_jobcomp_log_record

