-- Settlement gap: win recorded less win due. Negative where the dealers gave away more than was due.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, win_recorded_minor - win_due_minor AS settlement_gap_minor
FROM win_recorded
JOIN wagered USING (table_id, gaming_day)
