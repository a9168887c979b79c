package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.queue.script.admin.TroubleKey;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Takes the turn, looks at queues, and has what it finds reported, step by step:
 * <ol>
 * <li>An instance without the turn does nothing else than ask for it when the lease of
 * the other one may be over.</li>
 * <li>An event is recorded before listeners are called, which also shows that this
 * instance has the turn. When they have returned, that is recorded as well.</li>
 * <li>An instance that takes the turn reports what is recorded as not reported.</li>
 * </ol>
 * So no event is lost with an instance, and one is reported twice only if its instance
 * ends, or is suspended, between the call of listeners and the record of it.
 * <p>
 * For one thread.
 */
final class TroubleRound {

	private static final Log logger = PlainLog.of(TroubleRound.class);

	/**
	 * How long a call of a listener lasts at most. From then on nothing waits for the
	 * listener.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(30);

	/**
	 * How long there may be the same look, besides some intervals: twice as long as it is
	 * shared at least, for another thread may look for as long.
	 */
	private static final Duration KEPT = Duration.ofSeconds(10);

	private static final Duration KEPT_A_QUEUE = Duration.ofMillis(20);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);

	private final TroubleTurn turn;

	private final TroubleVerdicts verdicts;

	private final Supplier<QueueSnapshots> snapshots;

	private final Duration interval;

	private final Scheduler clock;

	private final Runnable wake;

	private final QueueRound failures;

	private final Map<String, TroubleReport> reports = new HashMap<>();

	/**
	 * Calls that have not ended, also those that wait behind others.
	 */
	private final List<TroubleCall> open = new ArrayList<>();

	private final Set<TroubleCall> late = new HashSet<>();

	private List<? extends Consumer<TroubleCall>> listeners = List.of();

	private QueueSnapshots.@Nullable Look last;

	/**
	 * When there was another look than the one before.
	 */
	private long lookedNanos;

	private long dueNanos;

	/**
	 * Creates a round that has no turn yet.
	 * @param turn the turn of this instance
	 * @param verdicts decides what is trouble
	 * @param snapshots looks at all queues
	 * @param interval how often
	 * @param clock the clock
	 * @param wake called when there is another step to do at once
	 */
	TroubleRound(TroubleTurn turn, TroubleVerdicts verdicts, Supplier<QueueSnapshots> snapshots, Duration interval,
			Scheduler clock, Runnable wake) {
		this.turn = turn;
		this.verdicts = verdicts;
		this.snapshots = snapshots;
		this.interval = interval;
		this.clock = clock;
		this.wake = wake;
		this.dueNanos = clock.nanoTime();
		this.failures = new QueueRound(clock,
				(failed) -> logger.warn("It was not looked whether there is trouble in " + failed));
	}

	/**
	 * Sets the listeners.
	 */
	void listeners(List<? extends Consumer<TroubleCall>> listeners) {
		this.listeners = listeners;
	}

	/**
	 * Does what there is to do now.
	 * @return the time until the next step
	 */
	Duration step() throws InterruptedException {
		try {
			note();
			TroubleKey.Turn taken = renew();
			if (taken.state() != TroubleKey.Turn.State.OTHER) {
				look();
				taken = report(taken);
			}
			return switch (taken.state()) {
				case OK -> longer(Duration.ofNanos(this.dueNanos - this.clock.nanoTime()));
				case TAKEN -> SHORTEST_PAUSE;
				case OTHER -> longer(taken.left());
			};
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			failed(ex);
			return this.interval;
		}
	}

	private void failed(Exception failure) {
		this.verdicts.interrupt();
		if (Thread.currentThread().isInterrupted()) {
			return;
		}
		boolean isWrapped = failure instanceof ExecutionException || failure instanceof QueueBackendException;
		Throwable cause = isWrapped ? failure.getCause() : failure;
		this.failures.failed("any queue", (cause != null) ? cause : failure);
	}

	/**
	 * Notes which reports are over.
	 */
	private void note() {
		Set<Object> stuck = stuck();
		this.reports.entrySet().removeIf((entry) -> {
			TroubleReport report = entry.getValue();
			if (!report.isOver(stuck)) {
				return false;
			}
			if (!report.isRefused()) {
				this.verdicts.reported(entry.getKey(), report.trouble());
			}
			return true;
		});
	}

	/**
	 * Finds out, and logs, which listeners do not return from a call.
	 */
	private Set<Object> stuck() {
		long now = this.clock.nanoTime();
		this.open.removeIf(TroubleCall::hasEnded);
		this.late.retainAll(this.open);
		this.open.forEach((call) -> {
			if (call.isLate(now, PATIENCE.toNanos()) && this.late.add(call)) {
				logger.warn("A listener to trouble has not returned for " + PATIENCE.toSeconds() + " s: "
						+ call.listener() + ", with " + call.event());
			}
		});
		return this.late.stream().map(TroubleCall::listener).collect(Collectors.toSet());
	}

	/**
	 * Takes the turn, or renews it and records what has changed.
	 */
	private TroubleKey.Turn renew() throws ExecutionException, TimeoutException, InterruptedException {
		boolean wasHeld = this.turn.isHeld();
		TroubleKey.Turn taken = this.turn.take(this.verdicts.write());
		switch (taken.state()) {
			case OTHER -> {
				this.verdicts.restore(Map.of());
				revokeReports();
			}
			case TAKEN -> {
				// If it was held, Redis went back in time, or the request was sent twice,
				// and this instance knows more.
				if (!wasHeld) {
					this.verdicts.restore(taken.kept());
					revokeReports();
					this.dueNanos = this.clock.nanoTime();
				}
			}
			case OK -> {
				if (!wasHeld) {
					this.verdicts.interrupt();
				}
			}
		}
		return taken;
	}

	private void revokeReports() {
		this.reports.values().forEach(TroubleReport::revoke);
		this.reports.clear();
	}

	private void look() {
		long now = this.clock.nanoTime();
		if (now - this.dueNanos < 0) {
			return;
		}
		this.dueNanos = now + this.interval.toNanos();
		QueueSnapshots.Look look = this.snapshots.get().latest();
		QueueSnapshots.Look before = this.last;
		long looked = this.clock.nanoTime();
		if (before == null || !look.time().equals(before.time())) {
			this.last = look;
			this.lookedNanos = looked;
			this.verdicts.look(look, looked);
			this.turn.looksFor(Duration.ofNanos(this.clock.nanoTime() - now));
			return;
		}
		// The same look shows nothing new. It is kept for a while, and when looks fail.
		Duration age = Duration.ofNanos(looked - this.lookedNanos);
		Duration limit = this.interval.multipliedBy(3).plus(KEPT).plus(KEPT_A_QUEUE.multipliedBy(look.queues().size()));
		if (age.compareTo(limit) > 0) {
			this.verdicts.interrupt();
			this.failures.failed("any queue",
					new IllegalStateException("the last look is " + age.toSeconds() + " s old"));
		}
	}

	/**
	 * Has events reported that are not yet, after they were recorded.
	 */
	private TroubleKey.Turn report(TroubleKey.Turn taken)
			throws ExecutionException, TimeoutException, InterruptedException {
		QueueSnapshots.Look look = this.last;
		if (look == null) {
			return taken;
		}
		Map<String, KnownTrouble> unreported = this.verdicts.unreported();
		unreported.keySet().removeAll(this.reports.keySet());
		// Of a queue that could not be looked at there is nothing to say.
		unreported.keySet().removeIf((queue) -> look.failed().contains(queue) && !look.queues().containsKey(queue));
		if (unreported.isEmpty()) {
			return taken;
		}
		TroubleKey.Turn recorded = renew();
		if (recorded.state() == TroubleKey.Turn.State.OK) {
			unreported.forEach((queue, trouble) -> report(queue, trouble, look.queues().get(queue)));
		}
		return recorded;
	}

	private void report(String queue, KnownTrouble trouble, @Nullable QueueSnapshot now) {
		TroubleReport report = new TroubleReport(trouble,
				trouble.toEvent(queue, (now != null) ? now.diagnosis() : null), this.listeners, this.clock,
				this.turn::isHeld, this.wake);
		this.reports.put(queue, report);
		this.open.addAll(report.calls());
		for (int i = 0; i < this.listeners.size(); i++) {
			this.listeners.get(i).accept(report.calls().get(i));
		}
	}

	/**
	 * Gives the turn up.
	 */
	void end(Duration limit) throws InterruptedException {
		note();
		revokeReports();
		this.open.clear();
		try {
			this.turn.giveUp(this.verdicts.write(), limit);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("The turn to watch queues for trouble was not given up, and ends with its lease", ex);
		}
	}

	private static Duration longer(Duration pause) {
		return (pause.compareTo(SHORTEST_PAUSE) > 0) ? pause : SHORTEST_PAUSE;
	}

}
