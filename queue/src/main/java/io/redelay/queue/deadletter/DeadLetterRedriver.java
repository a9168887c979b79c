package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.log.PlainLog;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.request.StoreException;
import org.apache.commons.logging.Log;

/**
 * Decides when to look at the dead messages of a queue for its rule: when one may be due,
 * and at the interval of the safety poll while this instance has the turn. Else it looks
 * when the lease of the instance that has the turn is over. Uses a thread only for a
 * look.
 */
final class DeadLetterRedriver {

	private static final Log logger = PlainLog.of(DeadLetterRedriver.class);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

	private final String queue;

	private final RedriveRule rule;

	private final DeadLetterRuntime runtime;

	private final RedriveRounds rounds;

	private final Runnable buried = this::buried;

	private final LookSchedule schedule;

	private volatile List<String> partitions;

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
		this.schedule = new LookSchedule(runtime.scheduler(), this::look, this::giveUp);
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
		this.schedule.lookIn(Duration.ZERO);
	}

	private void subscribe(String partition) {
		this.runtime.events().subscribe(partition, this.buried);
	}

	/**
	 * Stops; a look that is under way ends first, and the turn is released.
	 * @return a future that completes when it has stopped
	 */
	CompletableFuture<Void> stop() {
		synchronized (this) {
			this.partitions.forEach((each) -> this.runtime.events().unsubscribe(each, this.buried));
		}
		return this.schedule.stop();
	}

	private CompletableFuture<?> giveUp() {
		try {
			return this.rounds.giveUp();
		}
		catch (RuntimeException ex) {
			logger.debug("The turn to redrive dead messages of the queue '" + this.queue + "' was not given up", ex);
			return CompletableFuture.completedFuture(null);
		}
	}

	/**
	 * Called when a message died in this application; it is due after the delay.
	 */
	private void buried() {
		if (this.rule.delay() != null && this.rounds.isIdle()) {
			this.schedule.lookWithin(longer(this.rule.delay(), RedriveRounds.LEAST_PAUSE));
		}
	}

	private void look() {
		if (!this.runtime.scheduler().execute(this::step)) {
			this.schedule.looked(this.runtime.safetyPoll().interval());
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
		this.schedule.looked(longer(pause, SHORTEST_PAUSE));
	}

	private void failed(Throwable failure) {
		if (!StoreException.isAway(failure)) {
			logger.warn("The dead messages of the queue '" + this.queue
					+ "' could not be redriven by its rule, which is tried again: " + failure.getMessage());
		}
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

}
