package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.ListenedQueue.Limit;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.script.admin.LookScript.Blocked;
import org.jspecify.annotations.Nullable;

/**
 * Finds limits that let handlers wait although messages are there. A limit is reported
 * only if it was met: claims show that it kept messages from them, or the keys that it
 * blocks are known. A limit that is only configured explains nothing.
 */
final class LimitRules {

	private LimitRules() {
	}

	static List<Cause> look(DiagnosisContext now) {
		List<Cause> causes = new ArrayList<>();
		if (now.waitsDespiteIdleHandlers()) {
			rate(now, causes);
			inFlight(now, causes);
			keyLimits(now, causes);
			shared(now, causes);
			turns(now, causes);
		}
		return causes;
	}

	private static void rate(DiagnosisContext now, List<Cause> causes) {
		ListenedQueue limited = limitedBy(now, Limit.RATE);
		if (limited == null) {
			return;
		}
		LimitOrigin origin = LimitOrigin.of(now, "rateLimit", text(now.limits().claims().rate()), limited.rateLimit());
		String rate = origin.value();
		if (rate == null) {
			return;
		}
		double allowed = perSecond(rate);
		causes.add(new Cause(Kind.RATE_LIMITED, now.hindrance(allowed), Severity.INFO,
				"its rate limit allows " + FigureFormat.rate(allowed),
				"Claims bring no more messages, because " + origin.whatWithValue() + " allows "
						+ FigureFormat.rate(allowed) + " in all instances together; " + wanted(now) + "; "
						+ now.backlog() + ". " + busy(now),
				origin.raise() + " if what handlers call stands it, or send less.",
				Cause.figures("allowedPerSecond", allowed, "neededPerSecond", now.needed(), "ready", now.ready(),
						"busy", now.busy(), "concurrency", now.concurrency(), "limit", rate, "origin", origin.origin(),
						"setBy", origin.setBy())));
	}

	private static void inFlight(DiagnosisContext now, List<Cause> causes) {
		ListenedQueue limited = limitedBy(now, Limit.IN_FLIGHT);
		if (limited == null) {
			return;
		}
		LimitOrigin origin = LimitOrigin.of(now, "maxInFlight", text(now.limits().claims().maxInFlight()),
				text(limited.maxInFlight()));
		Integer most = origin.number();
		if (most == null) {
			return;
		}
		long held = now.facts().info().inFlight();
		Duration mean = now.meanHandling(); // one that waits for a lock is in hand as
											// well
		Double capacity = (mean != null) ? most * 1e9 / Math.max(1, mean.toNanos()) : null;
		causes.add(new Cause(Kind.CONCURRENCY_LIMITED, (capacity != null) ? now.hindrance(capacity) : 0.5,
				Severity.INFO, "as many are in hand as may be (" + most + ")",
				"Claims bring no more messages, because " + origin.what() + " allows " + most
						+ " in hand in all instances together, and " + held + " " + FigureFormat.verb(held, "is", "are")
						+ ((mean != null) ? "; handling takes " + FigureFormat.time(mean) + ", so that is "
								+ FigureFormat.rate((capacity != null) ? capacity : 0) + " at most" : "")
						+ "; " + now.backlog() + ". " + busy(now),
				origin.raise() + ", or make handling faster.",
				Cause.figures("inFlight", held, "maxInFlight", most, "meanHandlingMillis",
						(mean != null) ? mean.toMillis() : null, "allowedPerSecond", capacity, "neededPerSecond",
						now.needed(), "ready", now.ready(), "origin", origin.origin(), "setBy", origin.setBy())));
	}

	private static void keyLimits(DiagnosisContext now, List<Cause> causes) {
		Blocked inHand = now.facts().waiting().keysInHand();
		if (inHand.keys() > 0) {
			LimitOrigin origin = LimitOrigin.of(now, "keyMaxInFlight", text(now.limits().claims().keyMaxInFlight()),
					text(first(now, ListenedQueue::keyMaxInFlight)));
			Integer most = origin.number();
			causes.add(new Cause(Kind.CONCURRENCY_LIMITED, share(now, inHand.messages()), Severity.INFO,
					FigureFormat.count(inHand.keys(), "fairness key") + " may have no more in hand",
					FigureFormat.count(inHand.keys(), "fairness key", "has", "have") + " as many messages in hand as "
							+ origin.what() + " allows each" + ((most != null) ? ", " + most : "") + ", and "
							+ passedOver(inHand) + "; " + now.backlog() + ". " + busy(now),
					origin.raise() + ", or give messages more different fairness keys.",
					Cause.figures("blockedKeys", inHand.keys(), "waiting", inHand.messages(), "keyMaxInFlight", most,
							"ready", now.ready(), "origin", origin.origin(), "setBy", origin.setBy())));
		}
		Blocked rated = now.facts().waiting().keysRated();
		if (rated.keys() > 0) {
			LimitOrigin origin = LimitOrigin.of(now, "keyRateLimit", text(now.limits().claims().keyRate()),
					first(now, ListenedQueue::keyRateLimit));
			String rate = origin.value();
			causes.add(new Cause(Kind.RATE_LIMITED, share(now, rated.messages()), Severity.INFO,
					FigureFormat.count(rated.keys(), "fairness key", "has", "have") + " used up the rate",
					FigureFormat.count(rated.keys(), "fairness key", "has", "have") + " used up what "
							+ origin.whatWithValue() + " allows each, and " + passedOver(rated) + "; " + now.backlog()
							+ ". " + busy(now),
					origin.raise() + ", or give messages more different fairness keys.",
					Cause.figures("blockedKeys", rated.keys(), "waiting", rated.messages(), "limit", rate, "ready",
							now.ready(), "origin", origin.origin(), "setBy", origin.setBy())));
		}
	}

	private static @Nullable String text(@Nullable Object value) {
		return (value != null) ? value.toString() : null;
	}

	private static String passedOver(Blocked keys) {
		return FigureFormat.count(keys.messages(), "message") + " of theirs "
				+ FigureFormat.verb(keys.messages(), "waits", "wait");
	}

	private static void shared(DiagnosisContext now, List<Cause> causes) {
		ListenedQueue rated = limitedBy(now, Limit.SHARED_RATE);
		String rate = (rated != null) ? rated.sharedRateLimit() : null;
		if (rated != null && rate != null) {
			double allowed = perSecond(rate);
			causes.add(new Cause(Kind.RATE_LIMITED, now.hindrance(Math.min(allowed, done(now, allowed))), Severity.INFO,
					"the limit '" + rated.sharedLimit() + "' that it shares allows " + FigureFormat.rate(allowed),
					"Claims bring no more messages, because the limit '" + rated.sharedLimit() + "' allows "
							+ FigureFormat.rate(allowed) + " (" + rate + ") to all queues that share it; " + wanted(now)
							+ " here alone; " + now.backlog() + ". " + busy(now),
					"Raise the limit '" + rated.sharedLimit() + "', or take a queue out of it.",
					Cause.figures("allowedPerSecond", allowed, "neededPerSecond", now.needed(), "ready", now.ready(),
							"limit", rated.sharedLimit())));
		}
		ListenedQueue full = limitedBy(now, Limit.SHARED_IN_FLIGHT);
		Integer most = (full != null) ? full.sharedMaxInFlight() : null;
		if (full != null && most != null) {
			long held = now.facts().info().inFlight();
			causes.add(new Cause(Kind.CONCURRENCY_LIMITED, Math.max(0.5, now.hindrance(done(now, 0))), Severity.INFO,
					"the limit '" + full.sharedLimit() + "' that it shares allows " + most + " in hand",
					"Claims bring no more messages, because the limit '" + full.sharedLimit()
							+ "' allows all queues that share it " + most + " messages in hand together, and " + held
							+ " of this one " + FigureFormat.verb(held, "is", "are") + "; " + now.backlog() + ". "
							+ busy(now),
					"Raise the limit '" + full.sharedLimit()
							+ "', or look which of the queues that share it keeps its places busy.",
					Cause.figures("maxInFlight", most, "inFlight", held, "ready", now.ready(), "limit",
							full.sharedLimit())));
		}
	}

	/**
	 * How many messages were done or died a second: the part of a limit that this queue
	 * had.
	 */
	private static double done(DiagnosisContext now, double unknown) {
		Throughput recent = now.throughput();
		return (recent != null) ? recent.leftPerSecond() : unknown;
	}

	private static void turns(DiagnosisContext now, List<Cause> causes) {
		long waiting = now.facts().waiting().forTurn();
		if (waiting == 0) {
			return;
		}
		long keys = now.facts().waiting().keysInTurn();
		causes.add(new Cause(Kind.KEYS_IN_TURN, share(now, waiting), Severity.INFO,
				FigureFormat.count(waiting, "message", "waits", "wait") + " for "
						+ FigureFormat.count(keys, "ordering key"),
				waiting + " of " + FigureFormat.count(now.ready(), "ready message") + " "
						+ FigureFormat.verb(waiting, "waits", "wait")
						+ " for an earlier one of the same ordering key, and "
						+ FigureFormat.count(keys, "key", "has", "have") + " its turn. " + busy(now)
						+ " A message that is tried again later keeps its turn.",
				"Use ordering keys that are finer, such as the order and not the customer; make handling faster; or look"
						+ " for a message that keeps failing at the head of its key.",
				Cause.figures("waitingForTurn", waiting, "keysInTurn", keys, "ready", now.ready(), "busy", now.busy(),
						"concurrency", now.concurrency())));
	}

	/**
	 * The hindrance by ready messages that are passed over while handlers are idle.
	 */
	private static double share(DiagnosisContext now, long passedOver) {
		double share = Math.min(1, (double) passedOver / Math.max(1, now.ready()));
		double idle = 1 - (double) now.busy() / Math.max(1, now.concurrency());
		return Math.min(0.99, share * idle);
	}

	/**
	 * The queue of a listener whose claims were held up by a limit.
	 */
	private static @Nullable ListenedQueue limitedBy(DiagnosisContext now, Limit limit) {
		return now.running()
			.stream()
			.map(Listening::queue)
			.filter((each) -> each.limitedBy().contains(limit))
			.findFirst()
			.orElse(null);
	}

	private static String wanted(DiagnosisContext now) {
		return FigureFormat.rate(now.needed()) + " would be needed " + now.neededFor();
	}

	private static String busy(DiagnosisContext now) {
		return now.busy() + " of " + FigureFormat.count(now.concurrency(), "handler") + " "
				+ FigureFormat.verb(now.busy(), "is", "are") + " busy.";
	}

	private static double perSecond(String rate) {
		RateLimit limit = RateLimit.parse(rate);
		return limit.count() * 1e9 / limit.period().toNanos();
	}

	private static <T> @Nullable T first(DiagnosisContext now, Value<T> value) {
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

	/**
	 * A limit in force, and where it comes from.
	 *
	 * @param attribute its name in declarations
	 * @param value its value, or {@code null} if that is not known
	 * @param setBy the name of the instance that set it for all instances, or
	 * {@code null} if it is declared
	 * @param setAt when it was set, if it was
	 */
	private record LimitOrigin(String attribute, @Nullable String value, @Nullable String setBy,
			@Nullable Instant setAt) {

		/**
		 * Returns the limit in force: a limit set for all instances goes before one that
		 * a listener declares.
		 */
		static LimitOrigin of(DiagnosisContext now, String attribute, @Nullable String set, @Nullable String declared) {
			return (set != null) ? new LimitOrigin(attribute, set, now.limits().changedBy(), now.limits().changedAt())
					: new LimitOrigin(attribute, declared, null, null);
		}

		@Nullable Integer number() {
			return (this.value != null) ? Integer.valueOf(this.value) : null;
		}

		String origin() {
			return (this.setBy != null) ? "SET" : "DECLARED";
		}

		/**
		 * The limit, as the subject of a sentence.
		 */
		String what() {
			return described("'" + this.attribute + "'");
		}

		/**
		 * The same, with its value.
		 */
		String whatWithValue() {
			return described("'" + this.attribute + "'" + ((this.value != null) ? " " + this.value : ""));
		}

		private String described(String name) {
			return (this.setBy == null) ? "the listener's " + name : name + ", set at run time for all instances by '"
					+ this.setBy + "' (last change " + this.setAt + "),";
		}

		/**
		 * How the limit is raised, as the beginning of a sentence.
		 */
		String raise() {
			return "Raise '" + this.attribute + "'" + ((this.setBy != null)
					? " with QueueAdmin.limits().change, or take it away with QueueAdmin.limits().clear" : "");
		}

	}

}
