-- Purpose: openings at which a table was counted otherwise than at its last closing in the same currency, in all or by denomination: chips that came or went while it was closed. Both gaming days must be among those asked for.
-- Innocent: the cage filled the float up or drew it down between the two, on slips that belong to no table-day; compare those.
WITH counts AS (
    SELECT
        *,
        lag(kind) OVER before AS kind_before, lag(gaming_day) OVER before AS closed_on,
        lag(amount_minor) OVER before AS closing_minor, lag(denominations) OVER before AS closing_denominations,
        lag(chips) OVER before AS chips_before
    FROM (
        -- A denomination without chips may be recorded as 0 or left out.
        SELECT *, [entry FOR entry IN map_entries(denominations::JSON::MAP(VARCHAR, VARCHAR)) IF entry.value <> '0'] AS chips
        FROM custody
    )
    WHERE kind IN ('TableOpened', 'TableClosed') AND stretch IS DISTINCT FROM 0
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
    WINDOW before AS (PARTITION BY table_id, currency ORDER BY gaming_day, seq)
)
SELECT
    table_id, gaming_day, seq, dealer, currency, closed_on, closing_minor, amount_minor AS opening_minor,
    amount_minor - closing_minor AS difference_minor, closing_denominations, denominations AS opening_denominations
FROM counts
WHERE kind = 'TableOpened' AND kind_before = 'TableClosed'
    AND (amount_minor <> closing_minor OR chips <> chips_before)
ORDER BY abs(difference_minor) DESC, gaming_day, table_id, seq
