package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.log.PlainLog;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.TrimDeadScript;
import io.redelay.scheduling.ScheduledTask;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the dead messages of a queue within their bounds, and reports those it removed.
 * Runs at the start, every hour, and after burials: once for all within the interval of
 * the safety poll.
 */
final class DeadLetterTrimmer {

	private static final Log logger = PlainLog.of(DeadLetterTrimmer.class);

	private static final Duration REGULARLY = Duration.ofHours(1);

	private final String queue;

	private final DeadLetterSettings settings;

	private final DeadLetterRuntime runtime;

	private final AdminScripts store;

	private final Runnable buried = this::trimSoon;

	private final AtomicBoolean planned = new AtomicBoolean();

	private volatile boolean stopped;

	private @Nullable ScheduledTask regular;

	DeadLetterTrimmer(String queue, DeadLetterSettings settings, DeadLetterRuntime runtime) {
		this.queue = queue;
		this.settings = settings;
		this.runtime = runtime;
		this.store = runtime.store();
	}

	void start() {
		this.runtime.events().subscribe(this.queue, this.buried);
		this.regular = this.runtime.scheduler().repeat(this::trim, Duration.ZERO, REGULARLY);
	}

	void stop() {
		this.stopped = true;
		this.runtime.events().unsubscribe(this.queue, this.buried);
		if (this.regular != null) {
			this.regular.cancel();
		}
	}

	private void trimSoon() {
		if (!this.planned.compareAndSet(false, true)) {
			return;
		}
		this.runtime.scheduler().schedule(this::trimNow, this.runtime.safetyPoll().interval());
	}

	private void trimNow() {
		this.planned.set(false);
		trim();
	}

	private void trim() {
		if (this.stopped) {
			return;
		}
		try {
			this.store.count()
				.run(this.queue)
				.thenCompose((counts) -> (counts.messages().dead() > 0) ? trimInSteps()
						: CompletableFuture.completedFuture(null))
				.whenComplete((done, failure) -> failed(failure));
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

	private CompletableFuture<Void> trimInSteps() {
		return this.store.steer().openLane(this.queue).thenCompose((lane) -> step(lane, 1));
	}

	private CompletableFuture<Void> step(String lane, long seq) {
		return new TrimDeadScript(this.store)
			.run(this.queue, lane, seq, this.settings.maxCount(), this.settings.maxAge(), this.settings.maxBytes())
			.thenCompose((reply) -> {
				if (!reply.trimmed().isEmpty()) {
					notifyListeners(reply.trimmed());
				}
				return (reply.hasNext() && !this.stopped) ? step(lane, seq + 1)
						: CompletableFuture.completedFuture(null);
			});
	}

	private void notifyListeners(List<String> uids) {
		logger.warn("Removed " + uids.size() + " dead message(s) of the queue '" + this.queue + "', of which the last "
				+ this.settings.maxCount() + " are kept, for " + this.settings.maxAge()
				+ ((this.settings.maxBytes() != DeadLetterSettings.ANY_SIZE)
						? ", as far as they have no more than " + this.settings.maxBytes() + " bytes" : "")
				+ ": " + uids);
		if (this.runtime.retryListeners().isEmpty()) {
			return;
		}
		if (!this.runtime.scheduler()
			.execute(() -> this.runtime.retryListeners().forEach((each) -> notifyListeners(each, uids)))) {
			logger.debug("No MessageRetryListener is notified, as the application is closing");
		}
	}

	private void notifyListeners(MessageRetryListener listener, List<String> uids) {
		try {
			listener.onTrimmed(PartitionName.queueOf(this.queue), uids);
		}
		catch (Throwable ex) {
			logger.warn(
					"A MessageRetryListener of the type " + listener.getClass().getName()
							+ " failed, which changes nothing for the dead messages of the queue '" + this.queue + "'",
					ex);
		}
	}

	private void failed(@Nullable Throwable failure) {
		if (failure == null || this.stopped) {
			return;
		}
		if (!StoreException.isAway(failure)) {
			logger.warn("The dead messages of the queue '" + this.queue
					+ "' could not be kept within their bounds, which is tried again: " + failure.getMessage());
			return;
		}
		trimSoon();
	}

}
