-- Books: what was counted and what was moved by the first books of a table-day, in one reading of its custody events. opening,
-- fills, credits, buyins, drop and closing say what its columns mean.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    arg_min_null(CASE WHEN kind = 'TableOpened' THEN amount_minor END, seq)
        FILTER (kind IN ('TableOpened', 'TableClosed')) AS opening_minor,
    CASE
        WHEN count(seq) FILTER (kind = 'ChipsFilled') = count(amount_minor) FILTER (kind = 'ChipsFilled')
        THEN coalesce(sum(amount_minor) FILTER (kind = 'ChipsFilled'), 0)
    END AS fills_minor,
    CASE
        WHEN count(seq) FILTER (kind = 'ChipsCredited') = count(amount_minor) FILTER (kind = 'ChipsCredited')
        THEN coalesce(sum(amount_minor) FILTER (kind = 'ChipsCredited'), 0)
    END AS credits_minor,
    CASE
        WHEN count(seq) FILTER (kind = 'CashBoughtIn') = count(amount_minor) FILTER (kind = 'CashBoughtIn')
        THEN coalesce(sum(amount_minor) FILTER (kind = 'CashBoughtIn'), 0)
    END AS buyins_minor,
    CASE
        WHEN count(seq) FILTER (kind = 'DropCounted') = count(amount_minor) FILTER (kind = 'DropCounted')
        THEN sum(amount_minor) FILTER (kind = 'DropCounted')
    END AS drop_minor,
    min(seq) FILTER (kind = 'TableClosed') AS closed_seq,
    arg_min_null(amount_minor, seq) FILTER (kind = 'TableClosed') AS closing_minor
FROM table_days
LEFT JOIN (
    SELECT table_id, gaming_day, seq, kind, amount_minor
    FROM custody
    WHERE stretch IS NULL AND kind NOT IN ('ChipsFilled', 'ChipsCredited')
    UNION ALL
    SELECT table_id, gaming_day, seq, kind, amount_minor
    FROM slips
    WHERE stretch IS NULL AND stands
) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
