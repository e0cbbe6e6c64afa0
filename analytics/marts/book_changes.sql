-- Book changes: corrections, and entries made after the books of a table-day were closed, each with the value before and
-- the value wanted. Late entries change no measure.
-- Unit: none.  Grain: correction or entry.
SELECT table_id, gaming_day, seq, round, code, message AS what, before, after
FROM findings
WHERE before IS NOT NULL OR after IS NOT NULL
