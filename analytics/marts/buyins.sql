-- Buy-ins: cash that players changed into chips, by the first books. Null where a buy-in has no amount.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    CASE WHEN count(seq) = count(amount_minor) THEN coalesce(sum(amount_minor), 0) END AS buyins_minor
FROM table_days
LEFT JOIN (SELECT * FROM custody WHERE kind = 'CashBoughtIn' AND stretch IS NULL) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
