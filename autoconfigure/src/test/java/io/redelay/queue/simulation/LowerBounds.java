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
