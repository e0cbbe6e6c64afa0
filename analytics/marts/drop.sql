-- Drop: what the drop boxes held when counted, all boxes of the first books. Null, and not zero, where none was
-- counted. A count of a drop that had been counted is in no books.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    CASE WHEN count(seq) = count(amount_minor) THEN sum(amount_minor) END AS drop_minor
FROM table_days
LEFT JOIN (SELECT * FROM custody WHERE kind = 'DropCounted' AND stretch IS NULL) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
