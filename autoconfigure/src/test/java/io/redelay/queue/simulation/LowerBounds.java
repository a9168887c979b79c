package io.redelay.queue.simulation;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lowers bounds of the scripts, so that short runs cross them.
 */
final class LowerBounds {

	/**
	 * What stands for what.
	 */
	static final Map<String, String> LINES = new LinkedHashMap<>();

	static {
		// Lanes that died
		LINES.put("KEYS[6], '-inf', now, 'LIMIT', 0, 100)", "KEYS[6], '-inf', now, 'LIMIT', 0, 2)");
		LINES.put("#dead_lanes == 100", "#dead_lanes == 2");
		// What they held, as a whole or by pages
		LINES.put("redis.call('HLEN', KEYS[5]) <= 512", "redis.call('HLEN', KEYS[5]) <= 2");
		LINES.put("'COUNT', index and 32 or 512)", "'COUNT', 2)");
		// What becomes due
		LINES.put("'LIMIT', 0, math.max(100, wanted * 2))", "'LIMIT', 0, wanted)");
		// How many entries of messages that are gone are passed over, or keys divide what
		// is left
		LINES.put("by_turns and 0 or 10 do", "by_turns and 0 or 2 do");
		LINES.put("for _ = 1, 20 do", "for _ = 1, 2 do");
		// Messages that are written by one command
		LINES.put("if n == 500 and at <= #packed then", "if n == 2 and at <= #packed then");
		LINES.put("if #bodies >= 1000 then", "if #bodies >= 4 then");
		// The messages of keys that are given together
		LINES.put("local MOST = 500", "local MOST = 2");
		// How far a list is looked through
		LINES.put("'MAXLEN', 5000)", "'MAXLEN', 7)");
		// What is over: keys of deduplication, limits, gates and handed messages
		LINES.put("'LIMIT', 0, given + 100)", "'LIMIT', 0, given + 1)");
		LINES.put("'LIMIT', 0, wanted + 100)", "'LIMIT', 0, wanted + 1)");
		LINES.put("'(+inf', 'LIMIT', 0, 100)", "'(+inf', 'LIMIT', 0, 2)");
		LINES.put("index.rejoin(wanted + 100)", "index.rejoin(wanted + 1)");
		LINES.put("'LIMIT', 0, #uids + 100)", "'LIMIT', 0, #uids + 1)");
		LINES.put("while passed < 500 and", "while passed < 2 and");
		// Idempotency keys, and the owners of their runs
		LINES.put("local MOST_OVER = 100", "local MOST_OVER = 1");
		LINES.put("'LIMIT', 0, #keys * 2 + 20)", "'LIMIT', 0, #keys * 2 + 1)");
		LINES.put("'COUNT', #keys + 100)", "'COUNT', #keys + 1)");
		// Notes of an outbox, and members of a bundle in one of them
		LINES.put("for _ = 1, 10 do\nlocal page = redis.call('XRANGE'",
				"for _ = 1, 1 do\nlocal page = redis.call('XRANGE'");
		LINES.put("'COUNT', '10')", "'COUNT', '2')");
		LINES.put("#page < 10 then", "#page < 2 then");
		LINES.put("local MOST, bundles, members_of = 100,", "local MOST, bundles, members_of = 2,");
		// Entries without a message, and what fits in one command
		LINES.put("if length <= 500 then", "if length <= 2 then");
		LINES.put("math.max(1000, waiting)", "math.max(1, waiting)");
		LINES.put("local PAGE = 1000", "local PAGE = 2");
		LINES.put("local PAGE = 500", "local PAGE = 2");
		LINES.put("local MOST = 1000", "local MOST = 4");
		LINES.put("for from = 1, #fairness_keys, 100 do", "for from = 1, #fairness_keys, 2 do");
		LINES.put("math.min(from + 99, #fairness_keys)", "math.min(from + 1, #fairness_keys)");
		// Jobs, and what one step of theirs looks at
		LINES.put("local MOST_RUNNING, MOST_ENDED, DAY_MS = 50, 100,",
				"local MOST_RUNNING, MOST_ENDED, DAY_MS = 3, 2,");
		LINES.put("local what, count, left = first, tonumber(ARGV[2])",
				"local what, count, left = first, math.min(2, tonumber(ARGV[2]))");
		// What is published: a step of a replay, and how much more is dropped than added
		LINES.put("most, max_bytes = tonumber(most),", "most, max_bytes = 2,");
		LINES.put("for _ = 1, added + 100 do", "for _ = 1, added + 1 do");
	}

	private LowerBounds() {
	}

	static String lower(String text) {
		String lowered = text;
		for (Map.Entry<String, String> line : LINES.entrySet()) {
			lowered = lowered.replace(line.getKey(), line.getValue());
		}
		return lowered;
	}

}
