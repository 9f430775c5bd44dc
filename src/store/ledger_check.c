/* SPDX-License-Identifier: Apache-2.0
 * Does the ledger hold together? Every question is asked of the rows themselves, not of
 * the sums kept beside them. */
#include "store/ledger.h"
#include "store/private.h"

/* Shown in credits. */
#define CREDITS(x) "printf('%.3f', (" x ") / 1000.0)"

/* Each yields one problem a row. CROSS JOIN: the transactions of a run are found by the
 * run; found by its account they would be all that the account ever had. */
/* clang-format off */
static const char *const questions[] = {
    "SELECT 'transaction '||txn||': its legs come to '||" CREDITS("sum(amount)")
    " ||' instead of 0' FROM am_leg GROUP BY txn HAVING sum(amount) <> 0",

    "SELECT 'transaction '||id||': has no legs' FROM am_txn"
    " WHERE id NOT IN (SELECT txn FROM am_leg)",

    "SELECT 'transaction '||txn||': has legs but no record' FROM am_leg"
    " WHERE txn NOT IN (SELECT id FROM am_txn) GROUP BY txn",

    "SELECT 'all places together come to '||" CREDITS("sum(balance)")
    " ||' instead of 0' FROM am_place HAVING sum(balance) <> 0",

    "SELECT place||' '||\"of\"||': its balance is '||" CREDITS("balance")
    " ||', its legs come to '||" CREDITS("legs")
    " FROM (SELECT p.place, p.\"of\", balance, (SELECT coalesce(sum(amount), 0)"
    "  FROM am_leg l WHERE l.place = p.place AND l.\"of\" = p.\"of\") AS legs"
    "  FROM am_place p) WHERE balance <> legs",

    "SELECT l.place||' '||l.\"of\"||': has legs but no balance' FROM am_leg l"
    " LEFT JOIN am_place p ON p.place = l.place AND p.\"of\" = l.\"of\""
    " WHERE p.place IS NULL GROUP BY l.place, l.\"of\"",

    "SELECT 'leg '||n||' of transaction '||txn||': is at '||place||' '||\"of\""
    " ||', which is not of account '||account FROM am_leg WHERE CASE place"
    " WHEN 'grant' THEN \"of\" <> 0 OR account <> 0"
    " WHEN 'deposit' THEN NOT EXISTS (SELECT 1 FROM am_deposit d"
    "  WHERE d.id = \"of\" AND d.account = am_leg.account)"
    " ELSE \"of\" <> account OR NOT EXISTS"
    "  (SELECT 1 FROM am_account a WHERE a.id = \"of\") END",

    "SELECT 'leg '||n||' of transaction '||txn||': is dated '||booked_at||', its"
    " transaction '||at FROM am_leg JOIN am_txn ON id = txn WHERE booked_at <> at",

    "SELECT 'account '||a||', day '||d||': its moves come to '||" CREDITS("sum(c)")
    " ||', the day is written down with '||" CREDITS("sum(w)")
    " FROM (SELECT account AS a, booked_at / 86400 AS d, amount AS c, 0 AS w"
    "  FROM am_leg WHERE place IN ('deposit', 'over')"
    "  UNION ALL SELECT account, day, 0, credits - debits FROM am_day)"
    " GROUP BY a, d HAVING sum(c) <> sum(w)",

    "SELECT 'account '||a||', day '||d||', user '||u||': was charged '||" CREDITS("c")
    " ||' less '||" CREDITS("r") "||' given back for '||n||' runs, the day is written"
    " down with '||" CREDITS("wc") "||' less '||" CREDITS("wr") "||' for '||wn"
    " FROM (SELECT a, d, u, sum(c) AS c, sum(r) AS r, sum(n) AS n, sum(wc) AS wc,"
    "  sum(wr) AS wr, sum(wn) AS wn FROM (SELECT l.account AS a,"
    "  booked_at / 86400 AS d, coalesce(\"user\", '') AS u,"
    "  CASE kind WHEN 'refund' THEN 0 ELSE l.amount END AS c,"
    "  CASE kind WHEN 'refund' THEN -l.amount ELSE 0 END AS r,"
    "  NOT EXISTS (SELECT 1 FROM am_txn f CROSS JOIN am_leg g ON g.txn = f.id"
    "   WHERE f.run <> '' AND f.run = t.run AND f.id < t.id AND +g.place = 'usage') AS n,"
    "  0 AS wc, 0 AS wr, 0 AS wn FROM am_leg l CROSS JOIN am_txn t ON t.id = l.txn"
    "  LEFT JOIN am_run r ON r.run = t.run WHERE place = 'usage'"
    "  UNION ALL SELECT account, day, \"user\", 0, 0, 0, charged, refunded, runs"
    "  FROM am_usage) GROUP BY a, d, u) WHERE c <> wc OR r <> wr OR n <> wn",

    "SELECT 'quote '||quote||': was used by job '||job||', but is not there'"
    " FROM am_quote_use WHERE quote NOT IN (SELECT id FROM am_quote)",

    "SELECT 'quote '||id||': has '||uses||' uses left' FROM am_quote WHERE uses < 0",

    "SELECT 'deposit '||d.id||': was made with '||" CREDITS("d.amount")
    " ||', its transaction '||d.txn||' brought '||" CREDITS("coalesce(l.amount, 0)")
    " FROM am_deposit d LEFT JOIN am_leg l"
    " ON l.txn = d.txn AND l.place = 'deposit' AND l.\"of\" = d.id"
    " WHERE d.amount IS NOT l.amount",

    "SELECT 'deposit '||id||': keeps '||" CREDITS("held")
    " ||' for liens, which come to '||" CREDITS("liens")
    " FROM (SELECT id, held, (SELECT coalesce(sum(amount), 0) FROM am_lien"
    "  WHERE deposit = id) AS liens FROM am_deposit) WHERE held <> liens",

    "SELECT 'deposit '||id||': has ended with '||" CREDITS("balance - held")
    " ||' that nobody keeps, and that have not expired'"
    " FROM am_deposit JOIN am_place ON place = 'deposit' AND \"of\" = id"
    " WHERE ended AND balance > held",

    "SELECT 'lien of run '||run||': on deposit '||deposit||', of '||" CREDITS("amount")
    " FROM am_lien WHERE amount <= 0 OR deposit NOT IN (SELECT id FROM am_deposit)",

    "SELECT 'lien of run '||run||': on deposit '||deposit||', the run is over'"
    " FROM am_lien WHERE run NOT IN (SELECT run FROM am_run WHERE open)",

    "SELECT 'run '||run||': was charged '||" CREDITS("charged") "||' less '||"
    CREDITS("refunded") "||' given back, its transactions come to '||" CREDITS("used")
    " FROM (SELECT run, charged, refunded, (SELECT coalesce(sum(amount), 0)"
    "  FROM am_txn t CROSS JOIN am_leg ON txn = t.id WHERE t.run <> ''"
    "  AND t.run = r.run AND place = 'usage' AND am_leg.account = r.account) AS used"
    "  FROM am_run r)"
    " WHERE charged - refunded <> used OR refunded < 0 OR refunded > charged",

    "SELECT 'account '||name||': used '||" CREDITS("coalesce(balance, 0)")
    " ||', its runs were charged '||" CREDITS("runs")
    " FROM (SELECT name, balance, (SELECT coalesce(sum(charged - refunded), 0)"
    "  FROM am_run WHERE account = a.id) AS runs FROM am_account a"
    "  LEFT JOIN am_place ON place = 'usage' AND \"of\" = a.id)"
    " WHERE coalesce(balance, 0) <> runs",

    "SELECT 'account '||name||': its parent '||parent||' is not there' FROM am_account"
    " WHERE parent <> 0 AND parent NOT IN (SELECT id FROM am_account)",

    "WITH RECURSIVE above(id, up) AS (SELECT id, parent FROM am_account UNION"
    " SELECT above.id, parent FROM above JOIN am_account a ON a.id = up)"
    " SELECT 'account '||name||': is above itself' FROM am_account a"
    " WHERE EXISTS (SELECT 1 FROM above WHERE above.id = a.id AND up = a.id)",
};
/* clang-format on */

int ledger_check(struct store *s, void (*tell)(void *arg, const char *problem),
    void *arg, struct err *err)
{
    return care_ask(s, questions, sizeof questions / sizeof *questions, tell, arg, err);
}
