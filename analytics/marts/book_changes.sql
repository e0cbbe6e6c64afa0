-- Book changes: corrections, and what was entered when the books of a table-day were closed: each with what stood before
-- and what was to stand there. What was entered late changes no measure.
-- Unit: none.  Grain: correction or entry.
SELECT table_id, gaming_day, seq, round, code, message AS what, before, after
FROM findings
WHERE before IS NOT NULL OR after IS NOT NULL
