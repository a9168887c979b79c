package io.redelay.benchmarks.growth;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.benchmarks.RedisInfo;
import io.redelay.embedded.redis.RedisServer;

/**
 * How often Redis has run scripts, and how long they took.
 *
 * @param calls how often
 * @param micros how long, in microseconds
 */
record ScriptTime(long calls, long micros) {

	static final ScriptTime NONE = new ScriptTime(0, 0);

	private static final List<String> SCRIPTS = List.of("cmdstat_eval", "cmdstat_evalsha");

	private static final Pattern FIELDS = Pattern.compile("calls=(\\d+),usec=(\\d+)");

	static ScriptTime of(RedisServer server) {
		Map<String, String> commands = RedisInfo.of(server, "commandstats").values();
		ScriptTime time = NONE;
		for (String script : SCRIPTS) {
			Matcher fields = FIELDS.matcher(commands.getOrDefault(script, ""));
			if (fields.find()) {
				time = time.plus(new ScriptTime(Long.parseLong(fields.group(1)), Long.parseLong(fields.group(2))));
			}
		}
		return time;
	}

	ScriptTime plus(ScriptTime other) {
		return new ScriptTime(this.calls + other.calls, this.micros + other.micros);
	}

	ScriptTime since(ScriptTime before) {
		return new ScriptTime(this.calls - before.calls, this.micros - before.micros);
	}

	double microsPerCall() {
		return (double) this.micros / this.calls;
	}

}
