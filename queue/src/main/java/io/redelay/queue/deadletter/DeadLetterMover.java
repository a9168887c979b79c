package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.log.PlainLog;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.CountScript;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Decides when dead messages of a queue are forwarded. This is at the start, when one was
 * buried in this application, and at the interval of the safety poll while messages are
 * left or if other instances bury them. It is also every minute, for messages that a dead
 * instance may have left. Uses a thread only while there are messages to forward.
 */
final class DeadLetterMover {

	private static final Log logger = PlainLog.of(DeadLetterMover.class);

	private static final Duration REGULARLY = Duration.ofMinutes(1);

	private final String queue;

	private final String target;

	private final boolean buriedByOthers;

	private final DeadLetterRuntime runtime;

	private final DeadLetterForwarder forwarder;

	private final LookSchedule schedule;

	private final Runnable buried;

	/**
	 * Creates a mover.
	 * @param queue the queue whose dead messages to forward
	 * @param target the queue to forward them to
	 * @param buriedByOthers whether messages are buried by instances that do not forward
	 * them
	 * @param takeOverAfter after what time to forward messages that other instances have
	 * marked
	 * @param runtime the parts that all containers share
	 */
	DeadLetterMover(String queue, String target, boolean buriedByOthers, Duration takeOverAfter,
			DeadLetterRuntime runtime) {
		this.queue = queue;
		this.target = target;
		this.buriedByOthers = buriedByOthers;
		this.runtime = runtime;
		this.forwarder = new DeadLetterForwarder(queue, target, takeOverAfter, runtime);
		this.schedule = new LookSchedule(runtime.scheduler(), this::look,
				() -> CompletableFuture.completedFuture(null));
		this.buried = this.schedule::lookNow;
	}

	void start() {
		this.runtime.events().subscribe(this.queue, this.buried);
		if (this.buriedByOthers) {
			this.runtime.safetyPoll().join();
		}
		this.schedule.lookNow();
	}

	/**
	 * Stops; messages on their way to the other queue arrive there first.
	 * @return a future that completes when it has stopped
	 */
	CompletableFuture<Void> stop() {
		this.runtime.events().unsubscribe(this.queue, this.buried);
		if (this.buriedByOthers) {
			this.runtime.safetyPoll().leave();
		}
		return this.schedule.stop();
	}

	private void look() {
		try {
			this.runtime.store().count().run(this.queue).whenComplete(this::counted);
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

	private void counted(CountScript.@Nullable Counts counts, @Nullable Throwable failure) {
		if (counts == null) {
			failed((failure != null) ? failure : new IllegalStateException("There is no answer"));
			return;
		}
		if (counts.messages().dead() == 0) {
			this.schedule.looked(pause(false));
			return;
		}
		if (!this.runtime.scheduler().execute(this::forward)) {
			failed(new IllegalStateException("There is no thread to do it on"));
		}
	}

	private void forward() {
		try {
			this.schedule.looked(pause(this.forwarder.pass(this.schedule::isStopped)));
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
		}
	}

	private void failed(Throwable failure) {
		if (!this.schedule.isStopped() && !StoreException.isAway(failure)) {
			logger.warn("The dead messages of the queue '" + this.queue + "' could not be forwarded to the queue '"
					+ this.target + "', which is tried again: " + failure.getMessage());
		}
		this.schedule.failed(pause(true));
	}

	private Duration pause(boolean left) {
		return (left || this.buriedByOthers) ? this.runtime.safetyPoll().interval() : REGULARLY;
	}

}
