package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.delivery.LockUse;
import io.redelay.queue.admin.FailureCause;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import org.jspecify.annotations.Nullable;

/**
 * Finds handlers that are slow, fail, or wait for locks.
 */
final class HandlerRules {

	/**
	 * From which share of failed attempts on handlers are said to fail, and from how
	 * many.
	 */
	private static final double FAILING_SHARE = 0.1;

	private static final long FEWEST_FAILURES = 3;

	/**
	 * What instances announce in place of an exception if a handler reported the failure.
	 */
	private static final String NO_EXCEPTION = "none";

	/**
	 * From which factor on handlers are too slow: less is in the accuracy of the figures.
	 */
	private static final double LEAST_FACTOR = 1.05;

	/**
	 * From which share of their time on waits for locks are mentioned.
	 */
	private static final double LEAST_SHARE = 0.01;

	private static final double RETRYING_SHARE = 0.2;

	private static final long FEWEST_RETRYING = 10;

	private HandlerRules() {
	}

	static List<Cause> look(DiagnosisContext now) {
		List<Cause> causes = new ArrayList<>();
		busy(now, causes);
		locks(now, causes);
		failing(now, causes);
		retries(now, causes);
		return causes;
	}

	private static void busy(DiagnosisContext now, List<Cause> causes) {
		if (!now.waitsTooLong() || !now.areHandlersBusy()) {
			return;
		}
		int handlers = now.concurrency();
		double spent = now.lockShare();
		double waiting = Math.min(1, Math.max(spent, (double) now.awaitedLocks().size() / Math.max(1, now.busy())));
		double working = (1 - waiting) * (1 - failedShare(now)) * (1 - now.othersShare());
		Duration mean = now.meanWorking();
		if (mean == null) {
			causes.add(new Cause(Kind.ALL_HANDLERS_BUSY, 0.9 * working, Severity.INFO,
					"all " + FigureFormat.count(handlers, "handler") + " are busy and none has finished lately",
					now.busy() + " of " + FigureFormat.count(handlers, "handler") + " "
							+ FigureFormat.verb(now.busy(), "is", "are") + " busy, and none has finished lately; "
							+ now.backlog() + ".",
					"Look what they do: a thread dump of the instances, or the progress that they report. Set"
							+ " 'maxHandlingTime' so that one that hangs is ended.",
					Cause.figures("busy", now.busy(), "concurrency", handlers, "ready", now.ready(),
							"oldestReadyAgeMillis", now.age().toMillis())));
			return;
		}
		double needed = now.needed();
		double capacity = handlers * 1e9 / Math.max(1, mean.toNanos());
		double handlersNeeded = needed * mean.toNanos() / 1e9;
		double factor = needed / capacity;
		if (factor < LEAST_FACTOR) {
			return;
		}
		String times = FigureFormat.trimmed(factor);
		causes.add(new Cause(Kind.SLOW_HANDLER, now.hindrance(capacity) * working, Severity.INFO,
				"handlers are too slow by " + times + " times",
				"Handling a message takes " + FigureFormat.time(mean)
						+ ((spent >= LEAST_SHARE) ? " without the wait for locks" : "") + ", so "
						+ FigureFormat.count(handlers, "handler", "does", "do") + " " + FigureFormat.rate(capacity)
						+ " at most; " + FigureFormat.rate(needed) + " would be needed " + now.neededFor() + ", "
						+ times + " times as many; " + now.backlog() + ".",
				"Make handling " + times + " times as fast, or let " + (long) Math.ceil(handlersNeeded)
						+ " handlers run: raise 'concurrency' or start more instances.",
				Cause.figures("meanHandlingMillis", mean.toMillis(), "lockShare",
						(spent >= LEAST_SHARE) ? Math.round(spent * 1000) / 1000.0 : null, "concurrency", handlers,
						"busy", now.busy(), "capacityPerSecond", capacity, "neededPerSecond", needed, "handlersNeeded",
						(long) Math.ceil(handlersNeeded), "tooSlowBy", Math.round(factor * 10) / 10.0, "ready",
						now.ready())));
	}

	private static void locks(DiagnosisContext now, List<Cause> causes) {
		List<LockUse> waiting = now.awaitedLocks();
		long refusals = now.listening().stream().mapToLong((each) -> each.queue().lockRefusals()).sum();
		long handled = handled(now);
		double waitingShare = (double) waiting.size() / Math.max(1, now.concurrency());
		double refusedShare = (double) refusals / Math.max(1, refusals + handled);
		double spent = now.waitsTooLong() ? now.lockShare() : 0;
		if (waiting.isEmpty() && refusals < FEWEST_FAILURES && spent < FAILING_SHARE) {
			return;
		}
		double share = Math.min(0.98, Math.max(Math.max(waitingShare, spent), refusedShare));
		if (!now.waitsTooLong() && share < FAILING_SHARE) {
			return;
		}
		List<String> names = waiting.stream().map(LockUse::name).distinct().toList();
		Duration longest = waiting.stream().map(LockUse::time).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
		StringBuilder text = new StringBuilder();
		if (!waiting.isEmpty()) {
			text.append(waiting.size() + " of " + FigureFormat.count(now.concurrency(), "handler") + " "
					+ FigureFormat.verb(waiting.size(), "waits", "wait") + " for a lock, up to "
					+ FigureFormat.time(longest) + " so far: " + FigureFormat.list(names) + holder(now, names) + ". ");
		}
		if (spent >= FAILING_SHARE) {
			text.append("Handlers waited for locks for " + FigureFormat.percent(spent)
					+ " of their time in the last minute, and more handlers would wait as well. ");
		}
		if (refusals > 0) {
			text.append(FigureFormat.count(refusals, "attempt")
					+ " ended in the last minute because a lock was not to be had, and "
					+ FigureFormat.verb(refusals, "its message was", "their messages were") + " given back; "
					+ FigureFormat.count(handled, "message", "was", "were") + " done. ");
		}
		text.append(FigureFormat.capitalized(now.backlog()) + ".");
		causes.add(new Cause(Kind.LOCKED, share, Severity.INFO,
				!waiting.isEmpty() ? "handlers wait for the lock " + FigureFormat.list(names)
						: (spent >= refusedShare)
								? "handlers wait for locks for " + FigureFormat.percent(spent) + " of their time"
								: "handlers give messages back for want of a lock",
				text.toString(),
				"Look what holds the lock, and for how long it needs it. Use finer lock names, hold it for less time, or"
						+ " give the messages an ordering key in place of the lock, so that they take no handler while"
						+ " they wait.",
				Cause.figures("waiting", waiting.size(), "concurrency", now.concurrency(), "longestWaitMillis",
						longest.toMillis(), "waitedShare", Math.round(spent * 1000) / 1000.0, "refusals", refusals,
						"handled", handled, "locks", names)));
	}

	/**
	 * The holder of the first of the locks, as far as listening instances announce it.
	 */
	private static String holder(DiagnosisContext now, List<String> names) {
		for (InstanceInfo instance : now.facts().consumers().instances()) {
			for (LockUse use : instance.locks()) {
				if (use.held() && use.name().equals(names.get(0))) {
					return ", held by the thread '" + use.thread() + "' of " + instance.name() + " for "
							+ FigureFormat.time(use.time());
				}
			}
		}
		return "";
	}

	/**
	 * Which share of the attempts failed lately, 0 if it is no reason to be behind. More
	 * handlers do not help with attempts that fail.
	 */
	private static double failedShare(DiagnosisContext now) {
		long failed = failed(now);
		double share = (double) failed / Math.max(1, failed + handled(now));
		return (failed < FEWEST_FAILURES || share < FAILING_SHARE) ? 0 : share;
	}

	private static void failing(DiagnosisContext now, List<Cause> causes) {
		double share = failedShare(now);
		if (share == 0) {
			return;
		}
		long failed = failed(now);
		long handled = handled(now);
		FailureCause top = topCause(now);
		String cause = (top != null) ? shortened(top) : null;
		causes.add(new Cause(Kind.FAILING, 0.95 * share, Severity.WARNING,
				FigureFormat.percent(share) + " of the attempts fail" + ((cause != null) ? ": " + cause : ""),
				failed + " of " + FigureFormat.count(failed + handled, "attempt") + " failed lately ("
						+ FigureFormat.percent(share) + ")"
						+ ((top != null) ? "; in the last minute, most often, "
								+ FigureFormat.count(top.count(), "time") + ", with " + cause : "")
						+ ". " + FigureFormat.capitalized(now.backlog()) + ".",
				((top == null || hasException(top)) ? "Mend what the exception names."
						: "Look why the handler reports a failure, or rejects messages.")
						+ " Pause the queue meanwhile if attempts are used up for nothing; redrive what"
						+ " has died when it is mended.",
				Cause.figures("failed", failed, "handled", handled, "failedShare", Math.round(share * 1000) / 1000.0,
						"topCause", (top != null) ? top.exception() : null, "topMessage",
						(top != null) ? top.message() : null, "topCount", (top != null) ? top.count() : null)));
	}

	private static String shortened(FailureCause cause) {
		String name = cause.exception().substring(cause.exception().lastIndexOf('.') + 1);
		if (cause.message().isBlank()) {
			return name;
		}
		return hasException(cause) ? name + ": " + cause.message() : cause.message();
	}

	/**
	 * Whether there was an exception; if not, the handler reported the failure itself.
	 */
	private static boolean hasException(FailureCause cause) {
		return !cause.exception().equals(NO_EXCEPTION);
	}

	private static @Nullable FailureCause topCause(DiagnosisContext now) {
		Map<String, FailureCause> sums = new LinkedHashMap<>();
		now.listening()
			.stream()
			.flatMap((each) -> each.queue().causes().stream())
			.forEach((cause) -> sums.merge(cause.exception(), cause, (one, other) -> new FailureCause(one.exception(),
					(one.count() >= other.count()) ? one.message() : other.message(), one.count() + other.count())));
		return sums.values().stream().max(Comparator.comparingLong(FailureCause::count)).orElse(null);
	}

	private static void retries(DiagnosisContext now, List<Cause> causes) {
		long retrying = now.facts().waiting().retrying();
		long living = now.ready() + now.facts().info().scheduled() + now.facts().info().inFlight();
		double share = Math.min(1, (double) retrying / Math.max(1, living));
		if (retrying < FEWEST_RETRYING || share < RETRYING_SHARE) {
			return;
		}
		causes.add(new Cause(Kind.RETRY_BACKLOG, 0.3 * share, Severity.INFO,
				FigureFormat.count(retrying, "message", "has", "have") + " failed before",
				retrying + " of " + FigureFormat.count(living, "message") + " "
						+ FigureFormat.verb(retrying, "has", "have") + " failed before, and "
						+ FigureFormat.verb(retrying, "waits", "wait") + " for another attempt or are at it.",
				"Look why they failed: the history of one of them shows why. Those that cannot succeed are best rejected by"
						+ " the handler, or listed in 'noRetryFor'.",
				Cause.figures("retrying", retrying, "messages", living)));
	}

	private static long failed(DiagnosisContext now) {
		Throughput recent = now.throughput();
		long announced = now.listening().stream().mapToLong((each) -> each.queue().failed()).sum();
		return (recent != null) ? Math.max(recent.attempts().failed(), announced) : announced;
	}

	private static long handled(DiagnosisContext now) {
		Throughput recent = now.throughput();
		long announced = now.listening().stream().mapToLong((each) -> each.queue().handled()).sum();
		return (recent != null) ? Math.max(recent.attempts().handled(), announced) : announced;
	}

}
