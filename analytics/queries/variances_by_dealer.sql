-- Question: At whose tables are chips or cash missing?
-- Purpose: dealers by the variances of the table-days on which they dealt, beside the table-days that agreed; one row a currency.
-- Innocent: several dealers share a table-day and each has all of its variance here; who is common to many of them is the exception, or the count was wrong.
-- Param: first date = none | first gaming day
-- Param: last date = none | last gaming day
-- Param: min_minor int = 1 | least variance, of chips or of cash, in either direction, in minor units
WITH dealt AS (
    SELECT DISTINCT table_id, gaming_day, dealer
    FROM dealing
    WHERE dealer IS NOT NULL
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
),
varied_books AS (
    SELECT
        table_id, gaming_day, currency, inventory_variance_minor, drop_variance_minor,
        greatest(abs(coalesce(inventory_variance_minor, 0)), abs(coalesce(drop_variance_minor, 0))) >= $min_minor AS varied
    FROM books
),
counted AS (
    SELECT
        table_id, gaming_day, currency, bool_or(varied) AS varied,
        coalesce(sum(inventory_variance_minor) FILTER (varied), 0) AS inventory_variance_minor,
        coalesce(sum(drop_variance_minor) FILTER (varied), 0) AS drop_variance_minor
    FROM varied_books
    GROUP BY table_id, gaming_day, currency
)
SELECT
    dealer, currency,
    count(*) AS table_days,
    count(*) FILTER (varied) AS varied_count,
    sum(inventory_variance_minor) AS inventory_variance_minor,
    sum(drop_variance_minor) AS drop_variance_minor,
    string_agg(table_id || ' ' || gaming_day, ', ' ORDER BY gaming_day, table_id) FILTER (varied) AS table_days_varied
FROM dealt
JOIN counted USING (table_id, gaming_day)
GROUP BY dealer, currency
HAVING varied_count > 0
ORDER BY varied_count / table_days DESC, abs(sum(inventory_variance_minor)) DESC, dealer, currency
