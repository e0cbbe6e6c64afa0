-- Buy-ins: cash that players changed into chips, in the first books. Null where a buy-in has no amount.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, buyins_minor
FROM first_books
