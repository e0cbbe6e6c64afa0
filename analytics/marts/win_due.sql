-- Win due: the win by the regulation over the wagers that were both judged and settled. Wagers without a due and wagers without
-- a settlement are counted separately, in unjudged and unsettled.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT table_id, gaming_day, win_due_minor
FROM wagered
