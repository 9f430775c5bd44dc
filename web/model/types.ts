// Records of the API as the page uses them. scripts/api-types makes web/api/schema.ts of
// openapi.json, from which these are taken: a drift fails the check of types.
import type { components } from "../api/schema";

type S = components["schemas"];
export type Session = S["Session"];
export type Identity = S["Identity"];
export type JobBrief = S["JobBrief"];
export type Job = S["Job"];
export type Reason = S["Reason"];
export type QueueSummary = S["QueueSummary"];
export type Reservation = S["Reservation"];
export type NodeRecord = S["Node"];
export type SchedulerState = S["Scheduler"];
export type Manager = S["Manager"];
export type EventRecord = S["Event"];
export type WhyRecord = S["Why"];
export type PriorityRecord = S["Priority"];
export type Rows = S["Rows"];
export type ParameterRecord = S["Parameter"];
export type FairshareRecord = S["Fairshare"];
export type WhatIf = S["WhatIf"];
export type WhatIfJob = S["WhatIfJob"];
export type WhatIfChange = S["WhatIfChange"];
export type WhatIfObstacle = S["WhatIfObstacle"];
export type Done = S["Done"];
export type ParameterChange = S["ParameterChange"];
export type JobOrder = S["JobOrder"];
export type Outcome = S["Outcome"];
export type ReservationDraft = S["ReservationDraft"];
export type ReservationChange = S["ReservationChange"];
export type Credential = S["Credential"];
export type Statistics = S["Statistics"];
export type SystemStatistics = S["SystemStatistics"];
export type Grid = S["Grid"];
export type PromiseRecord = S["Promise"];
export type Series = S["Series"];
export type Past = S["Past"];
export type PastView = S["PastView"];
