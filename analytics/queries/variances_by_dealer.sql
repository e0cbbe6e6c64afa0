-- Question: At whose tables are chips or cash missing?
-- Purpose: dealers by the variances of the books in which they dealt (a table opened again has further ones), added up, beside the books that agreed and those not counted in full; one row a currency.
-- Innocent: several dealers share the books of a table and each has all of their variance here; who is common to many of them is the exception, or the count was wrong.
-- Param: min_minor int = 1 | least variance, of chips or of cash, in either direction, in minor units
WITH compared AS (
    SELECT
        *,
        greatest(abs(coalesce(inventory_variance_minor, 0)), abs(coalesce(drop_variance_minor, 0))) >= $min_minor AS varied
    FROM books
    WHERE ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
),
dealt AS (
    SELECT DISTINCT dealer, compared.*
    FROM compared
    JOIN dealing USING (table_id, gaming_day)
    WHERE dealer IS NOT NULL
        AND (opened_seq IS NULL OR seq > opened_seq) AND (closed_seq IS NULL OR seq < closed_seq)
)
SELECT
    dealer, currency,
    count(*) AS books_count,
    count(*) FILTER (varied) AS varied_count,
    count(*) FILTER (NOT varied AND NOT complete) AS not_counted_count,
    coalesce(sum(inventory_variance_minor) FILTER (varied), 0) AS inventory_variance_minor,
    coalesce(sum(drop_variance_minor) FILTER (varied), 0) AS drop_variance_minor,
    string_agg(
        table_id || ' ' || gaming_day || CASE WHEN stretch > 1 THEN ' (books ' || stretch || ')' ELSE '' END,
        ', ' ORDER BY gaming_day, table_id, stretch
    ) FILTER (varied) AS books_varied
FROM dealt
GROUP BY dealer, currency
HAVING varied_count > 0
-- By the share that varied and how many that is of: nine in ten come before one in one.
ORDER BY varied_count / sqrt(books_count - not_counted_count) DESC, abs(sum(inventory_variance_minor) FILTER (varied)) DESC NULLS LAST, dealer, currency
