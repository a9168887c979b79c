package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.limits.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * Finds limits that let handlers wait although messages are there.
 */
final class LimitRules {

	private LimitRules() {
	}

	static List<Cause> look(Situation now) {
		List<Cause> causes = new ArrayList<>();
		if (now.waitsInVain()) {
			rate(now, causes);
			inFlight(now, causes);
			keyLimits(now, causes);
			shared(now, causes);
			turns(now, causes);
		}
		return causes;
	}

	private static void rate(Situation now, List<Cause> causes) {
		String rate = first(now, ListenedQueue::rateLimit);
		if (rate == null) {
			return;
		}
		double allowed = perSecond(rate);
		causes.add(new Cause(Kind.RATE_LIMITED, now.hindrance(allowed), Severity.INFO,
				"its rate limit allows " + Words.rate(allowed),
				"The listener's rate limit " + rate + " allows " + Words.rate(allowed) + " in all instances together; "
						+ wanted(now) + "; " + now.backlog() + ". " + busy(now),
				"Raise 'rateLimit' if what handlers call stands it, or send less.",
				Cause.figures("allowedPerSecond", allowed, "neededPerSecond", now.needed(), "ready", now.ready(),
						"busy", now.busy(), "concurrency", now.concurrency(), "limit", rate)));
	}

	private static void inFlight(Situation now, List<Cause> causes) {
		Integer most = first(now, ListenedQueue::maxInFlight);
		long held = now.facts().info().inFlight();
		if (most == null || held < most) {
			return;
		}
		Duration mean = now.meanHandling();
		Double capacity = (mean != null) ? most * 1e9 / Math.max(1, mean.toNanos()) : null;
		causes.add(new Cause(Kind.CONCURRENCY_LIMITED, (capacity != null) ? now.hindrance(capacity) : 0.5,
				Severity.INFO, "as many are in hand as may be (" + most + ")",
				Words.count(held, "message") + " " + Words.verb(held, "is", "are")
						+ " in hand in all instances together, and 'maxInFlight' allows " + most
						+ ((mean != null) ? "; handling takes " + Words.time(mean) + ", so that is "
								+ Words.rate((capacity != null) ? capacity : 0) + " at most" : "")
						+ "; " + now.backlog() + ". " + busy(now),
				"Raise 'maxInFlight', or make handling faster.",
				Cause.figures("inFlight", held, "maxInFlight", most, "meanHandlingMillis",
						(mean != null) ? mean.toMillis() : null, "allowedPerSecond", capacity, "neededPerSecond",
						now.needed(), "ready", now.ready())));
	}

	private static void keyLimits(Situation now, List<Cause> causes) {
		long blocked = now.facts().blockedKeys() - now.facts().closedKeys();
		if (blocked <= 0) {
			return;
		}
		String rate = first(now, ListenedQueue::keyRateLimit);
		Integer most = first(now, ListenedQueue::keyMaxInFlight);
		if (most != null) {
			causes.add(new Cause(Kind.CONCURRENCY_LIMITED, 0.4, Severity.INFO,
					Words.count(blocked, "fairness key") + " may have no more in hand",
					Words.count(blocked, "fairness key") + " " + Words.verb(blocked, "has", "have")
							+ " as many messages in hand as each may, " + most + "; " + now.backlog() + ". "
							+ busy(now),
					"Raise 'keyMaxInFlight', or give messages more different fairness keys.",
					Cause.figures("blockedKeys", blocked, "keyMaxInFlight", most, "ready", now.ready())));
		}
		else if (rate != null) {
			causes.add(new Cause(Kind.RATE_LIMITED, 0.4, Severity.INFO,
					Words.count(blocked, "fairness key") + " " + Words.verb(blocked, "has", "have")
							+ " used up the rate",
					Words.count(blocked, "fairness key") + " " + Words.verb(blocked, "has", "have")
							+ " used up what 'keyRateLimit' " + rate + " allows each; " + now.backlog() + ". "
							+ busy(now),
					"Raise 'keyRateLimit', or give messages more different fairness keys.",
					Cause.figures("blockedKeys", blocked, "limit", rate, "ready", now.ready())));
		}
	}

	private static void shared(Situation now, List<Cause> causes) {
		String name = first(now, ListenedQueue::sharedLimit);
		if (name == null) {
			return;
		}
		String rate = first(now, ListenedQueue::sharedRateLimit);
		Integer most = first(now, ListenedQueue::sharedMaxInFlight);
		if (rate != null) {
			double allowed = perSecond(rate);
			causes.add(new Cause(Kind.RATE_LIMITED, now.hindrance(allowed), Severity.INFO,
					"the limit '" + name + "' that it shares allows " + Words.rate(allowed),
					"The limit '" + name + "' allows " + Words.rate(allowed) + " (" + rate
							+ ") to all queues that share it; " + wanted(now) + " here alone; " + now.backlog() + ". "
							+ busy(now),
					"Raise the limit '" + name + "', or take a queue out of it.", Cause.figures("allowedPerSecond",
							allowed, "neededPerSecond", now.needed(), "ready", now.ready(), "limit", name)));
		}
		if (most != null) {
			causes.add(new Cause(Kind.CONCURRENCY_LIMITED, 0.4, Severity.INFO,
					"the limit '" + name + "' that it shares allows " + most + " in hand",
					"The limit '" + name + "' allows all queues that share it " + most
							+ " messages in hand together, and " + now.facts().info().inFlight() + " of this one "
							+ Words.verb(now.facts().info().inFlight(), "is", "are") + "; " + now.backlog() + ". "
							+ busy(now),
					"Raise the limit '" + name + "', or look which of the queues that share it keeps its places busy.",
					Cause.figures("maxInFlight", most, "inFlight", now.facts().info().inFlight(), "ready", now.ready(),
							"limit", name)));
		}
	}

	private static void turns(Situation now, List<Cause> causes) {
		long waiting = now.facts().waitingForTurn();
		if (waiting == 0) {
			return;
		}
		double share = Math.min(1, (double) waiting / Math.max(1, now.ready()));
		double idle = 1 - (double) now.busy() / Math.max(1, now.concurrency());
		long keys = now.facts().keysInTurn();
		causes.add(new Cause(Kind.KEYS_IN_TURN, Math.min(0.99, share * idle), Severity.INFO,
				Words.count(waiting, "message") + " " + Words.verb(waiting, "waits", "wait") + " for "
						+ Words.count(keys, "ordering key"),
				waiting + " of " + Words.count(now.ready(), "ready message") + " "
						+ Words.verb(waiting, "waits", "wait") + " for an earlier one of the same ordering key, and "
						+ Words.count(keys, "key") + " " + Words.verb(keys, "has", "have") + " its turn. " + busy(now)
						+ " A message that is tried again later keeps its turn.",
				"Use ordering keys that are finer, such as the order and not the customer; make handling faster; or look"
						+ " for a message that keeps failing at the head of its key.",
				Cause.figures("waitingForTurn", waiting, "keysInTurn", keys, "ready", now.ready(), "busy", now.busy(),
						"concurrency", now.concurrency())));
	}

	private static String wanted(Situation now) {
		return Words.rate(now.needed()) + " " + "would be needed to handle what comes and clear what waits in a minute";
	}

	private static String busy(Situation now) {
		return now.busy() + " of " + Words.count(now.concurrency(), "handler") + " "
				+ Words.verb(now.busy(), "is", "are") + " busy.";
	}

	private static double perSecond(String rate) {
		RateLimit limit = RateLimit.parse(rate);
		return limit.count() * 1e9 / limit.period().toNanos();
	}

	private static <T> @Nullable T first(Situation now, Value<T> value) {
		for (Listening each : now.running()) {
			T found = value.of(each.queue());
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	/**
	 * A setting.
	 */
	@FunctionalInterface
	private interface Value<T> {

		@Nullable T of(ListenedQueue queue);

	}

}
