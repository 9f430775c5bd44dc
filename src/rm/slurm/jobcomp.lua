-- SPDX-License-Identifier: Apache-2.0
-- Tells the Maui scheduler which job has ended, and how: it need not ask then.
local EVENTS = "@EVENTS@"
local TOLD = { "job_id", "array_job_id", "array_task_id", "het_job_id", "job_state",
    "restart_cnt", "exit_code", "start_time", "end_time", "time_limit" }

function slurm_jobcomp_log_record(job)
	local words = {}
	for i, name in ipairs(TOLD) do -- they may be no integers: tostring() would say 7.0
		words[i] = job[name] and string.format("%.0f", job[name]) or "nil"
	end
	local f = io.open(EVENTS, "a")
	if f then
		f:write(" " .. table.concat(words, ":") .. "\n")
		f:close()
	end
	return slurm.SUCCESS
end

@CHAIN@return slurm.SUCCESS
