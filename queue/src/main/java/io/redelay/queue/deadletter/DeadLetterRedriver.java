package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.RedriveRule;
import io.redelay.queue.request.StoreException;
import io.redelay.scheduling.ScheduledTask;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to look at the dead messages of a queue for its rule: when one may be due,
 * and at the interval of the safety poll while this instance has the turn. Else it looks
 * when the lease of the instance that has the turn is over. Uses a thread only for a
 * look.
 */
final class DeadLetterRedriver {

	private static final Log logger = LogFactory.getLog(DeadLetterRedriver.class);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

	private final String queue;

	private final RedriveRule rule;

	private final DeadLetterRuntime runtime;

	private final RedriveRounds rounds;

	private final Runnable buried = this::buried;

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private volatile List<String> partitions;

	private boolean looking;

	private boolean stopped;

	private long alarmNanos;

	private @Nullable ScheduledTask alarm;

	/**
	 * Creates a redriver that has not started.
	 * @param queue the queue
	 * @param rule its rule
	 * @param partitions the names that the store has for its partitions
	 * @param lease how long another instance keeps the turn after its last request
	 * @param runtime the parts that all containers share
	 */
	DeadLetterRedriver(String queue, RedriveRule rule, List<String> partitions, Duration lease,
			DeadLetterRuntime runtime) {
		this.queue = queue;
		this.rule = rule;
		this.partitions = List.copyOf(partitions);
		this.runtime = runtime;
		this.rounds = new RedriveRounds(queue, rule, () -> this.partitions, lease, runtime);
	}

	/**
	 * Called when the queue has more partitions.
	 */
	synchronized void partitions(List<String> all) {
		all.stream().filter((each) -> !this.partitions.contains(each)).forEach(this::subscribe);
		this.partitions = List.copyOf(all);
	}

	synchronized void start() {
		this.partitions.forEach(this::subscribe);
		setAlarm(Duration.ZERO);
	}

	private void subscribe(String partition) {
		this.runtime.events().subscribe(partition, this.buried);
	}

	/**
	 * Stops; a look that is under way ends first, and the turn is released.
	 * @return a future that completes when it has stopped
	 */
	CompletableFuture<Void> stop() {
		boolean idle;
		synchronized (this) {
			this.partitions.forEach((each) -> this.runtime.events().unsubscribe(each, this.buried));
			this.stopped = true;
			cancelAlarm();
			idle = !this.looking;
		}
		if (idle) {
			end();
		}
		return this.ended;
	}

	private void end() {
		try {
			this.rounds.giveUp().whenComplete((done, failure) -> this.ended.complete(null));
		}
		catch (RuntimeException ex) {
			logger.debug("The turn to redrive dead messages of the queue '" + this.queue + "' was not given up", ex);
			this.ended.complete(null);
		}
	}

	/**
	 * Called when a message died in this application; it is due after the delay.
	 */
	private synchronized void buried() {
		if (this.rule.delay() == null || this.alarm == null || !this.rounds.isIdle()) {
			return;
		}
		long delay = Math.max(this.rule.delay().toNanos(), RedriveRounds.LEAST_PAUSE.toNanos());
		if (this.alarmNanos - this.runtime.scheduler().nanoTime() > delay) {
			setAlarm(Duration.ofNanos(delay));
		}
	}

	private void look() {
		synchronized (this) {
			if (this.looking || this.stopped) {
				return;
			}
			this.looking = true;
			cancelAlarm();
		}
		if (!this.runtime.scheduler().execute(this::step)) {
			looked(this.runtime.safetyPoll().interval());
		}
	}

	private void step() {
		Duration pause;
		try {
			pause = this.rounds.step();
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
			pause = this.runtime.safetyPoll().interval();
		}
		looked(pause);
	}

	private void failed(Throwable failure) {
		if (!StoreException.isAway(failure)) {
			logger.warn("The dead messages of the queue '" + this.queue
					+ "' could not be redriven by its rule, which is tried again: " + failure.getMessage());
		}
	}

	private void looked(Duration pause) {
		boolean end;
		synchronized (this) {
			this.looking = false;
			end = this.stopped;
			if (!end) {
				setAlarm((pause.compareTo(SHORTEST_PAUSE) > 0) ? pause : SHORTEST_PAUSE);
			}
		}
		if (end) {
			end();
		}
	}

	private void setAlarm(Duration delay) {
		cancelAlarm();
		this.alarmNanos = this.runtime.scheduler().nanoTime() + delay.toNanos();
		this.alarm = this.runtime.scheduler().schedule(this::look, delay);
	}

	private void cancelAlarm() {
		if (this.alarm != null) {
			this.alarm.cancel();
			this.alarm = null;
		}
	}

}
