-- Custody gap: win accounted less win booked. Must equal inventory variance + drop variance, to the last unit.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, custody_gap_minor
FROM first_books
