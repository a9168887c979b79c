package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.script.admin.LanesScript;

/**
 * Finds why messages are not delivered at all: there is no listener, or delivery was
 * stopped.
 */
final class DeliveryRules {

	private DeliveryRules() {
	}

	static List<Cause> look(DiagnosisContext now) {
		List<Cause> causes = new ArrayList<>();
		paused(now, causes);
		closed(now, causes);
		gated(now, causes);
		consumers(now, causes);
		otherFirst(now, causes);
		otherBusy(now, causes);
		return causes;
	}

	private static void otherFirst(DiagnosisContext now, List<Cause> causes) {
		List<Listening> behind = now.running().stream().filter((each) -> each.queue().waitsFor() != null).toList();
		if (behind.isEmpty() || now.ready() == 0) {
			return;
		}
		List<String> first = behind.stream().map((each) -> String.valueOf(each.queue().waitsFor())).distinct().toList();
		int handlers = behind.stream().mapToInt((each) -> each.listener().concurrency()).sum();
		String queues = ((first.size() == 1) ? "the queue " : "the queues ")
				+ FigureFormat.list(first.stream().map((queue) -> "'" + queue + "'").toList());
		causes.add(new Cause(Kind.OTHER_QUEUE_FIRST, 0.97 * handlers / Math.max(1, now.concurrency()), Severity.INFO,
				"waits behind " + queues + " of the same listener by strict order",
				"The order of " + ((behind.size() == 1) ? "its listener " : "its listeners ")
						+ FigureFormat.list(behind.stream().map(Listening::name).toList()) + " is strict: while "
						+ queues + " " + FigureFormat.verb(first.size(), "has", "have")
						+ " something, this queue gets no handler; " + now.backlog() + ".",
				"That is what 'queueOrder' says. If it waits for too long, let more handlers run, use 'queueWeights' in its"
						+ " place, or give the queue a listener of its own.",
				Cause.figures("waitsFor", first, "listeners", behind.size(), "ready", now.ready(),
						"oldestReadyAgeMillis", now.age().toMillis())));
	}

	private static void otherBusy(DiagnosisContext now, List<Cause> causes) {
		double share = now.othersShare();
		if (now.ready() == 0 || !now.waitsTooLong() || now.busy() < now.concurrency() || share == 0
				|| causes.stream().anyMatch((cause) -> cause.kind() == Kind.OTHER_QUEUE_FIRST)) {
			return;
		}
		Map<String, Integer> others = now.othersInHands();
		List<String> which = others.entrySet()
			.stream()
			.sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
			.map(Map.Entry::getKey)
			.toList();
		int messages = others.values().stream().mapToInt(Integer::intValue).sum();
		String queues = ((which.size() == 1) ? "the queue " : "the queues ")
				+ FigureFormat.list(which.stream().map((queue) -> "'" + queue + "'").toList());
		causes.add(new Cause(Kind.OTHER_QUEUE_BUSY, 0.98 * share, Severity.INFO,
				"its handlers work on " + queues + " of the same listener",
				"All " + FigureFormat.count(now.concurrency(), "handler") + " of its listeners are busy, with "
						+ FigureFormat.count(messages, "message") + " of " + queues + "; " + now.backlog() + ".",
				"Look what the handlers do with " + queues
						+ ". Give this queue a listener of its own, use 'queueWeights', or let more handlers run.",
				Cause.figures("queues", which, "inHands", messages, "busy", now.busy(), "concurrency",
						now.concurrency(), "ready", now.ready(), "oldestReadyAgeMillis", now.age().toMillis())));
	}

	private static void paused(DiagnosisContext now, List<Cause> causes) {
		if (now.facts().info().paused()) {
			causes.add(new Cause(Kind.PAUSED, 1, Severity.WARNING, "the queue is paused",
					"The queue is paused: nothing is delivered to any instance until it is resumed; " + now.backlog()
							+ ".",
					"Resume the queue, once you know why it was paused: QueueAdmin.control().resume, or the button on its page.",
					Cause.figures("ready", now.ready(), "oldestReadyAgeMillis", now.age().toMillis())));
		}
	}

	private static void closed(DiagnosisContext now, List<Cause> causes) {
		if (now.facts().info().closed()) {
			causes.add(new Cause(Kind.CLOSED, 0, Severity.WARNING, "the queue is closed for new messages",
					"The queue takes no new messages: senders get a QueueClosedException. What is there is delivered; "
							+ now.backlog() + ".",
					"Open it again when the maintenance is over: QueueAdmin.control().reopen.",
					Cause.figures("ready", now.ready())));
		}
	}

	private static void gated(DiagnosisContext now, List<Cause> causes) {
		Instant until = now.facts().info().gatedUntil();
		if (until != null && until.isAfter(now.facts().time())) {
			Duration left = Duration.between(now.facts().time(), until);
			causes.add(
					new Cause(Kind.GATED, 1, Severity.INFO, "its gate is closed for another " + FigureFormat.time(left),
							"The gate of the queue is closed: nothing is delivered to any instance for another "
									+ FigureFormat.time(left) + ", until " + until + "; " + now.backlog() + ".",
							"It was closed, mostly because what handlers depend on is down. Wait until then, or open it"
									+ " when that is up again: QueueGates.open.",
							Cause.figures("gateMillis", left.toMillis(), "ready", now.ready(), "oldestReadyAgeMillis",
									now.age().toMillis())));
			return;
		}
		List<Listening> running = now.running();
		List<Listening> gated = running.stream().filter((each) -> each.queue().gated()).toList();
		if (!gated.isEmpty()) {
			causes.add(localGates(now, gated, running));
		}
		long keys = now.facts().waiting().closedKeys();
		if (keys > 0) {
			double share = (double) now.facts().waiting().keysGated().messages() / Math.max(1, now.ready());
			causes.add(new Cause(Kind.GATED, Math.min(0.99, share), Severity.INFO,
					"the gates of " + FigureFormat.count(keys, "fairness key") + " are closed",
					"The gates of " + FigureFormat.count(keys, "fairness key")
							+ " are closed: their messages wait, those of others do not; "
							+ FigureFormat.count(now.facts().waiting().keysGated().messages(), "message")
							+ " of theirs "
							+ FigureFormat.verb(now.facts().waiting().keysGated().messages(), "was", "were")
							+ " passed over.",
					"Wait until the times are over, or open them: QueueGates.open.", Cause.figures("closedKeys", keys,
							"waiting", now.facts().waiting().keysGated().messages(), "ready", now.ready())));
		}
	}

	private static Cause localGates(DiagnosisContext now, List<Listening> gated, List<Listening> running) {
		int closed = gated.stream().mapToInt((each) -> each.listener().concurrency()).sum();
		boolean all = gated.size() == running.size();
		double share = all ? 1 : (double) closed / Math.max(1, now.concurrency());
		List<String> names = gated.stream().map(Listening::name).toList();
		return new Cause(Kind.GATED, share, Severity.INFO,
				all ? "a QueueGate of each instance is closed" : "a QueueGate of some instances is closed",
				"A QueueGate is closed in " + gated.size() + " of " + FigureFormat.count(running.size(), "listener")
						+ ": " + FigureFormat.list(names) + " " + FigureFormat.verb(gated.size(), "claims", "claim")
						+ " nothing; " + now.backlog() + ".",
				"Look at what the QueueGate beans of the application ask, and mend what they see.", Cause
					.figures("gated", gated.size(), "listeners", running.size(), "ready", now.ready(), "which", names));
	}

	private static void consumers(DiagnosisContext now, List<Cause> causes) {
		List<Listening> silent = now.silent();
		if (!silent.isEmpty()) {
			causes.add(silent(now, silent));
		}
		List<Listening> stopped = now.listening().stream().filter(Listening::isStopped).toList();
		boolean none = now.running().isEmpty() && (now.facts().consumers().living() == 0 || !stopped.isEmpty());
		if (!stopped.isEmpty()) {
			causes.add(stopped(now, stopped, none));
		}
		else if (none && silent.isEmpty()) {
			boolean critical = now.ready() > 0;
			long scheduled = now.facts().info().scheduled();
			boolean later = !critical && scheduled > 0;
			causes.add(new Cause(Kind.NO_CONSUMER, 1,
					critical ? Severity.CRITICAL : later ? Severity.WARNING : Severity.INFO,
					"no listener consumes it" + (later ? ", and " + scheduled(now) : ""),
					"No running instance listens to this queue; " + now.backlog()
							+ ((scheduled > 0) ? ", " + scheduled(now) : "") + held(now) + ".",
					"Start the application that has its @QueueListener. If it runs, compare the queue's name there,"
							+ " 'redelay.queue.key-prefix' and the Redis that both use.",
					Cause.figures("consumers", 0, "scheduled", scheduled, "ready", now.ready(), "inFlight",
							now.facts().info().inFlight(), "oldestReadyAgeMillis", now.age().toMillis())));
		}
	}

	/**
	 * Instances that were killed, hang, or do not reach Redis.
	 */
	private static Cause silent(DiagnosisContext now, List<Listening> silent) {
		List<InstanceInfo> instances = silent.stream().map(Listening::instance).distinct().toList();
		List<LanesScript.Lane> lanes = instances.stream()
			.flatMap((each) -> now.facts().consumers().lanesOf(each.instance()).stream())
			.toList();
		long held = lanes.stream().mapToLong(LanesScript.Lane::held).sum();
		Duration rest = lanes.stream()
			.map(LanesScript.Lane::lease)
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
		Duration since = instances.stream()
			.map((each) -> Duration.between(each.announcedAt(), now.facts().consumers().asked()))
			.min(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
		List<String> names = instances.stream().map(InstanceInfo::name).toList();
		boolean none = now.running().isEmpty();
		int lost = silent.stream().mapToInt((each) -> each.listener().concurrency()).sum();
		String others = none ? "no other instance listens" : "others listen";
		String which = FigureFormat.count(instances.size(), "instance") + " "
				+ FigureFormat.verb(instances.size(), "is", "are") + " silent";
		return new Cause(Kind.CONSUMER_SILENT, none ? 1 : (double) lost / Math.max(1, lost + now.concurrency()),
				(none && now.ready() > 0) ? Severity.CRITICAL : Severity.WARNING,
				which + " for " + FigureFormat.time(since) + ", and " + others,
				"Nothing was heard of " + FigureFormat.list(names) + " for " + FigureFormat.time(since)
						+ ": it was killed, hangs, or does not reach Redis. "
						+ ((held > 0)
								? FigureFormat.count(held, "message") + " that "
										+ FigureFormat.verb(instances.size(), "it", "they") + " "
										+ FigureFormat.verb(instances.size(), "has", "have")
										+ " in hand can be taken over in " + FigureFormat.time(rest)
								: "Its lease ends in " + FigureFormat.time(rest))
						+ ", and " + others + "; " + now.backlog() + ".",
				none ? "Start the application again; or, if it runs, look at its log, its pauses, and the network between it and Redis."
						: "Nothing is to be done if it is back soon. Otherwise look at its log, its pauses, and the network between it"
								+ " and Redis.",
				Cause.figures("silent", instances.size(), "silentMillis", since.toMillis(), "takenOverMillis",
						rest.toMillis(), "inFlight", held, "ready", now.ready(), "oldestReadyAgeMillis",
						now.age().toMillis(), "which", names));
	}

	/**
	 * The messages that nothing will handle when they are due, in words.
	 */
	private static String scheduled(DiagnosisContext now) {
		Instant next = now.facts().info().nextDue();
		Duration left = (next != null) ? Duration.between(now.facts().time(), next) : Duration.ZERO;
		return FigureFormat.count(now.facts().info().scheduled(), "message", "is", "are") + " scheduled"
				+ ((next != null && !left.isNegative()) ? ", the next due in " + FigureFormat.time(left) : "");
	}

	private static String held(DiagnosisContext now) {
		long held = now.facts().info().inFlight();
		return (held == 0) ? "" : ", and " + held + " " + FigureFormat.verb(held, "is", "are")
				+ " still held by an instance that answers no more";
	}

	private static Cause stopped(DiagnosisContext now, List<Listening> stopped, boolean none) {
		List<String> names = stopped.stream().map(Listening::name).toList();
		int lost = stopped.stream().mapToInt((each) -> each.listener().concurrency()).sum();
		double share = none ? 1 : (double) lost / Math.max(1, lost + now.concurrency());
		boolean paused = stopped.stream().allMatch((each) -> each.listener().state() == InstanceListener.State.PAUSED);
		String what = paused ? "paused" : "stopped";
		boolean critical = none && now.ready() > 0;
		return new Cause(Kind.CONSUMER_STOPPED, share, critical ? Severity.CRITICAL : Severity.INFO,
				none ? "its listeners are " + what : "some of its listeners are " + what,
				(none ? "The application runs, but its listeners to this queue are " + what + ": "
						: FigureFormat.count(stopped.size(), "listener") + " of " + now.listening().size() + " "
								+ FigureFormat.verb(stopped.size(), "is ", "are ") + what + ": ")
						+ FigureFormat.list(names) + "; " + now.backlog() + ".",
				paused ? "Resume them in their applications: QueueListenerContainer.resume()."
						: "Start them in their applications, by QueueListeners.start or by restarting the application;"
								+ " look at 'auto-startup' if they never ran.",
				Cause.figures("stopped", stopped.size(), "listeners", now.listening().size(), "ready", now.ready(),
						"oldestReadyAgeMillis", now.age().toMillis(), "which", names));
	}

}
