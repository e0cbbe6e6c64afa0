-- Unjudged: wagers whose due is unknown, their stakes in the table-day's currency, and the sum paid on these.
-- Unit: wagers, minor units.  Grain: table-day.
SELECT table_id, gaming_day, unjudged_count, unjudged_stake_minor, unjudged_paid_minor
FROM wagered
