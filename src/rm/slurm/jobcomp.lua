-- SPDX-License-Identifier: Apache-2.0
-- Tells the Maui scheduler which job has ended.
local EVENTS = "@EVENTS@"

function slurm_jobcomp_log_record(job)
	local f = io.open(EVENTS, "a")
	if f then
		f:write(" " .. tostring(job.job_id) .. "\n")
		f:close()
	end
	return slurm.SUCCESS
end

@CHAIN@return slurm.SUCCESS
