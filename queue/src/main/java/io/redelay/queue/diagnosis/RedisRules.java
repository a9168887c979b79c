package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;

/**
 * Finds that Redis answers late.
 */
final class RedisRules {

	/**
	 * The time from which on a trip to Redis is slow. A round trip in a data centre takes
	 * a hundredth of it.
	 */
	static final Duration SLOW = Duration.ofMillis(100);

	private RedisRules() {
	}

	static List<Cause> look(DiagnosisContext now) {
		List<Cause> causes = new ArrayList<>();
		List<Listening> running = now.running();
		List<String> unanswered = running.stream()
			.filter((each) -> each.queue().unanswered())
			.map(Listening::name)
			.toList();
		if (!unanswered.isEmpty()) {
			causes.add(new Cause(Kind.REDIS_SLOW, 0.99 * unanswered.size() / running.size(), Severity.WARNING,
					"Redis does not answer " + FigureFormat.count(unanswered.size(), "listener"),
					"The last claims of " + unanswered.size() + " of " + FigureFormat.count(running.size(), "listener")
							+ " had no answer from Redis: " + FigureFormat.list(unanswered) + "; " + now.backlog()
							+ ".",
					"Look at the network between these instances and Redis, and at their logs.",
					Cause.figures("unanswered", unanswered.size(), "listeners", running.size(), "which", unanswered)));
			return causes;
		}
		Duration slowest = running.stream()
			.map((each) -> each.queue().claimTime())
			.filter(Objects::nonNull)
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
		if (slowest.compareTo(SLOW) >= 0) {
			Duration mean = now.meanHandling();
			double handling = (mean != null) ? mean.toNanos() : 0;
			causes.add(new Cause(Kind.REDIS_SLOW, Math.min(0.9, slowest.toNanos() / (slowest.toNanos() + handling)),
					Severity.WARNING, "Redis takes " + FigureFormat.time(slowest) + " for a claim",
					"Redis takes " + FigureFormat.time(slowest)
							+ " to answer the claims of an instance, the median of the last ones; below "
							+ FigureFormat.time(SLOW) + " would be usual. This look took "
							+ FigureFormat.time(now.facts().redisTime()) + ". "
							+ "Handlers wait for messages meanwhile; " + now.backlog() + ".",
					"Look at the network, at the CPU of Redis, at its slow log (SLOWLOG GET) and its latency (redis-cli"
							+ " --latency), and at long pauses of the instance.",
					Cause.figures("claimMillis", slowest.toMillis(), "lookMillis", now.facts().redisTime().toMillis(),
							"usualMillis", SLOW.toMillis())));
		}
		return causes;
	}

}
