-- Win due: the win by the regulation over the wagers that were judged, whether or not the log has their settlement. Wagers without
-- a due are counted separately, in unjudged. Each due counts in whole minor units (X-2), and so the sum may differ from the exact one.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT table_id, gaming_day, win_due_minor
FROM wagered
