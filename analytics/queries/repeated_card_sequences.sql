-- Purpose: runs of cards that a table dealt in the same order before, suit for suit, as if no shuffle had separated them.
-- Innocent: rounds entered twice; among the 4,000 cards of a table's day chance repeats eight about once in six million days. The order is that of the deal, first cards from the left, then second ones, then what each hand drew, or hand by hand where a shuffler gave each its three at once; the bank's hidden card counts as drawn.
-- Param: cards int = 8 | cards in one order, at least
WITH given AS (
    SELECT
        *, first_seq - lag(first_seq) OVER (PARTITION BY table_id, gaming_day, round ORDER BY first_seq) AS since_last_hand,
        max(hand) OVER (PARTITION BY table_id, gaming_day, round, seat) > 0 AS was_split
    FROM hands
    WHERE ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
),
dealt AS (
    SELECT
        h.table_id, h.gaming_day, h.round, r.shoe, r.dealer, h.card,
        row_number() OVER (
            PARTITION BY h.table_id
            ORDER BY
                h.gaming_day, h.round,
                CASE
                    WHEN h.at_once THEN 1
                    WHEN h.seat IS NULL AND h.game = 'black_jack' AND h.place > 1 THEN 3
                    -- The second card of a split pair is the first one of the seat's second hand; all others were drawn.
                    WHEN h.was_split AND (h.hand, h.place) = (1, 1) THEN 2
                    WHEN h.was_split AND h.hand + h.place > 1 THEN 3
                    ELSE least(h.place, 3)
                END,
                h.seat NULLS LAST, h.hand, h.place
        ) AS number
    FROM (
        SELECT
            *, unnest(string_split(cards, ' ')) AS card, generate_subscripts(string_split(cards, ' '), 1) AS place,
            game <> 'black_jack' AND min(since_last_hand) OVER (PARTITION BY table_id, gaming_day, round) >= 3 AS at_once
        FROM given
    ) AS h
    JOIN rounds AS r USING (table_id, gaming_day, round)
),
runs AS (
    SELECT
        table_id, number, last_value(round) OVER run AS last_round,
        string_agg(card, ' ') OVER run AS run, count(*) OVER run AS cards_count,
        {'number': number, 'gaming_day': gaming_day, 'round': round, 'shoe': shoe, 'dealer': dealer} AS place
    FROM dealt
    WINDOW run AS (PARTITION BY table_id ORDER BY number ROWS BETWEEN CURRENT ROW AND greatest($cards, 1) - 1 FOLLOWING)
),
again AS (
    SELECT *, lag(place) OVER one_run AS before, number - (before).number AS apart
    FROM runs
    WHERE cards_count = greatest($cards, 1) AND NOT regexp_matches(run, '[x?]') -- suits or cards that the log does not name
    WINDOW one_run AS (PARTITION BY table_id, run ORDER BY number)
    QUALIFY before IS NOT NULL
),
joined AS (
    SELECT *, number - row_number() OVER (PARTITION BY table_id, apart ORDER BY number) AS stretch
    FROM again
)
SELECT
    table_id,
    min(place).gaming_day AS gaming_day, min(place).round AS round, arg_max(last_round, number) AS last_round,
    min(place).shoe AS shoe, min(place).dealer AS dealer, count(*) + greatest($cards, 1) - 1 AS cards_count,
    min(before).gaming_day AS day_before, min(before).round AS round_before, min(before).shoe AS shoe_before,
    min(before).dealer AS dealer_before, arg_min(run, number) AS first_cards
FROM joined
GROUP BY table_id, apart, stretch
ORDER BY cards_count DESC, table_id, gaming_day, round, min(number)
