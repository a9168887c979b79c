package io.redelay.queue.claim;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.log.PlainLog;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.listener.QueueGate;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * The {@link QueueGate}s of the application, which say whether loops may claim.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class LocalGates {

	/**
	 * The time after which a loop with a closed gate asks again.
	 */
	static final Duration ASK_AGAIN = Duration.ofSeconds(1);

	private static final Duration LOG_AGAIN = Duration.ofMinutes(1);

	private static final Log logger = PlainLog.of(LocalGates.class);

	private final List<QueueGate> gates;

	private final Scheduler scheduler;

	private final Set<Runnable> loops = ConcurrentHashMap.newKeySet();

	private final AtomicLong loggedNanos;

	/**
	 * Creates the gates of an application.
	 * @param gates the gates, which must all be open
	 * @param scheduler the clock
	 */
	public LocalGates(List<QueueGate> gates, Scheduler scheduler) {
		this.gates = List.copyOf(gates);
		this.scheduler = scheduler;
		this.loggedNanos = new AtomicLong(scheduler.nanoTime() - LOG_AGAIN.toNanos());
		this.gates.forEach(this::listenTo);
	}

	private void listenTo(QueueGate gate) {
		try {
			gate.onChange(this::changed);
		}
		catch (Throwable ex) {
			FailureText.warn(logger,
					"A QueueGate does not report when it has opened or closed, and is asked each second", ex);
		}
	}

	/**
	 * Returns no gates: everything is open.
	 * @param scheduler the clock
	 * @return the gates
	 */
	public static LocalGates none(Scheduler scheduler) {
		return new LocalGates(List.of(), scheduler);
	}

	/**
	 * Returns whether there is no gate, so that everything is always open.
	 */
	boolean isEmpty() {
		return this.gates.isEmpty();
	}

	boolean isOpen(String listener, String queue) {
		return this.gates.stream().allMatch((gate) -> isOpen(gate, listener, queue));
	}

	private boolean isOpen(QueueGate gate, String listener, String queue) {
		try {
			return gate.isOpen(listener, queue);
		}
		catch (Throwable ex) {
			long logged = this.loggedNanos.get();
			long now = this.scheduler.nanoTime();
			if (now - logged >= LOG_AGAIN.toNanos() && this.loggedNanos.compareAndSet(logged, now)) {
				FailureText.warn(logger, "A QueueGate failed, and counts as open for the queue '" + queue
						+ "' of the listener '" + listener + "'", ex);
			}
			return true;
		}
	}

	/**
	 * Adds a loop to signal when a gate has changed.
	 */
	void add(Runnable loop) {
		if (!this.gates.isEmpty()) {
			this.loops.add(loop);
		}
	}

	void remove(Runnable loop) {
		this.loops.remove(loop);
	}

	private void changed() {
		this.loops.forEach(Runnable::run);
	}

}
