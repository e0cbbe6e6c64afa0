-- Hold: win accounted as a share of the drop. It does not measure the house edge, which is earned on the handle.
-- Unit: ratio; null without a drop.  Grain: table-day.
SELECT table_id, gaming_day, win_accounted_minor::DOUBLE / nullif(drop_minor, 0) AS hold
FROM first_books
