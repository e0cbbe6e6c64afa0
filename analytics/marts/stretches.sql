-- Stretches: the books of a table from each time that it was opened again to the next closing, beside its first books.
-- Measures that need what was not counted are null.
-- Unit: minor units of its own currency.  Grain: stretch of a table-day, from the second one.
WITH counted AS (
    SELECT
        table_id, gaming_day, stretch,
        min_by(currency, seq) AS currency,
        min(seq) AS opened_seq,
        min(seq) FILTER (kind = 'TableClosed') AS closed_seq,
        min_by(amount_minor, seq) FILTER (kind = 'TableOpened') AS opening_minor,
        min_by(amount_minor, seq) FILTER (kind = 'TableClosed') AS closing_minor,
        coalesce(sum(amount_minor) FILTER (kind = 'CashBoughtIn'), 0) AS buyins_minor,
        sum(amount_minor) FILTER (kind = 'DropCounted') AS drop_minor
    FROM custody
    WHERE stretch > 0
    GROUP BY table_id, gaming_day, stretch
),
moved AS (
    SELECT
        table_id, gaming_day, stretch,
        coalesce(sum(amount_minor) FILTER (kind = 'ChipsFilled'), 0) AS fills_minor,
        coalesce(sum(amount_minor) FILTER (kind = 'ChipsCredited'), 0) AS credits_minor
    FROM slips
    WHERE stretch > 0 AND stands
    GROUP BY table_id, gaming_day, stretch
),
won AS (
    SELECT c.table_id, c.gaming_day, c.stretch, -sum(p.paid_minor) AS win_recorded_minor
    FROM counted AS c
    JOIN payments AS p
        ON p.table_id = c.table_id AND p.gaming_day = c.gaming_day AND p.seq > c.opened_seq
        AND (c.closed_seq IS NULL OR p.seq < c.closed_seq)
    GROUP BY c.table_id, c.gaming_day, c.stretch
)
SELECT
    table_id, gaming_day, stretch, currency, opened_seq, closed_seq,
    opening_minor,
    coalesce(fills_minor, 0) AS fills_minor,
    coalesce(credits_minor, 0) AS credits_minor,
    buyins_minor,
    coalesce(win_recorded_minor, 0) AS win_recorded_minor,
    closing_minor,
    closing_minor - opening_minor - coalesce(fills_minor, 0) + coalesce(credits_minor, 0) + buyins_minor
        - coalesce(win_recorded_minor, 0) AS inventory_variance_minor,
    drop_minor,
    drop_minor - buyins_minor AS drop_variance_minor
FROM counted
LEFT JOIN moved USING (table_id, gaming_day, stretch)
LEFT JOIN won USING (table_id, gaming_day, stretch)
