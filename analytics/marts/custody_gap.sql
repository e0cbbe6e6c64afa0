-- Custody gap: win accounted less win booked. Must equal inventory variance + drop variance, to the last unit.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, win_accounted_minor - win_booked_minor AS custody_gap_minor
FROM win_accounted
JOIN winnings USING (table_id, gaming_day)
