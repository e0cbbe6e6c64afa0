-- Counts: the counts and movements in the books of a table-day: the first ones, up to the closing (stretch 1), and those of each
-- time that it was opened again (2, 3, ...). Events while it was closed belong to none. A sum is null where one of its amounts
-- is unreadable or in another currency, for which the table was opened while it was open, and that of fills or credits where it
-- is unreadable which of them was voided.
-- The drop is the content of all boxes of the books; null, not zero, where none was counted.
-- opened_seq is null for the first books.
-- Unit: minor units of the books' own currency.  Grain: books of a table-day.
SELECT
    table_id, gaming_day, stretch,
    min_by(currency, seq) AS currency,
    CASE WHEN stretch > 1 THEN min(seq) END AS opened_seq,
    min(seq) FILTER (kind = 'TableClosed') AS closed_seq,
    arg_min_null(CASE WHEN kind = 'TableOpened' THEN amount_minor END, seq)
        FILTER (kind IN ('TableOpened', 'TableClosed')) AS opening_minor,
    CASE
        WHEN count(*) FILTER (kind = 'ChipsFilled' AND amount_minor IS NULL) = 0
        THEN coalesce(sum(amount_minor) FILTER (kind = 'ChipsFilled'), 0)
    END AS fills_minor,
    CASE
        WHEN count(*) FILTER (kind = 'ChipsCredited' AND amount_minor IS NULL) = 0
        THEN coalesce(sum(amount_minor) FILTER (kind = 'ChipsCredited'), 0)
    END AS credits_minor,
    CASE
        WHEN count(*) FILTER (kind = 'CashBoughtIn' AND amount_minor IS NULL) = 0
        THEN coalesce(sum(amount_minor) FILTER (kind = 'CashBoughtIn'), 0)
    END AS buyins_minor,
    CASE
        WHEN count(*) FILTER (kind = 'DropCounted' AND amount_minor IS NULL) = 0
        THEN sum(amount_minor) FILTER (kind = 'DropCounted')
    END AS drop_minor,
    arg_min_null(amount_minor, seq) FILTER (kind = 'TableClosed') AS closing_minor
FROM (
    SELECT * REPLACE (
        CASE
            WHEN (currency <> min_by(currency, seq) OVER (PARTITION BY table_id, gaming_day, stretch)) IS NOT TRUE
            THEN amount_minor
        END AS amount_minor
    )
    FROM (
        SELECT table_id, gaming_day, 1 AS stretch, 0 AS seq, 'day' AS kind, NULL AS amount_minor, currency
        FROM table_days
        UNION ALL
        SELECT table_id, gaming_day, coalesce(stretch, 1), seq, kind, amount_minor, currency
        FROM custody
        WHERE kind NOT IN ('ChipsFilled', 'ChipsCredited')
        UNION ALL
        SELECT table_id, gaming_day, coalesce(stretch, 1), seq, kind, CASE WHEN stands THEN amount_minor END, currency
        FROM slips
        WHERE stands IS DISTINCT FROM false
    )
    WHERE stretch > 0
)
GROUP BY table_id, gaming_day, stretch
