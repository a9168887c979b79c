package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.log.PlainLog;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.QueueNames;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Expires messages of a server whose time to live is over, whether or not their queues
 * have listeners. Does nothing before it is started, and then asks at an interval which
 * queues have such messages. A failure at one queue does not affect the others.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ExpirySweeper implements AutoCloseable {

	/**
	 * How often an instance looks.
	 */
	public static final Duration INTERVAL = Duration.ofSeconds(30);

	private static final Log logger = PlainLog.of(ExpirySweeper.class);

	private final QueueNames names;

	private final ExpiredMessages expired;

	private final QueueRound round;

	private final RegularTask regular;

	/**
	 * Creates a sweeper.
	 * @param scripts the store
	 * @param expired expires the messages of a queue
	 * @param scheduler when to look
	 * @param interval how often
	 */
	public ExpirySweeper(AdminScripts scripts, ExpiredMessages expired, Scheduler scheduler, Duration interval) {
		this.names = scripts.names();
		this.expired = expired;
		this.round = new QueueRound(scheduler,
				(failed) -> logger.warn("Messages whose time to live is over were not looked for in " + failed));
		this.regular = new RegularTask(scheduler, interval, this::sweep,
				(failure) -> this.round.failed("any queue", failure));
	}

	/**
	 * Begins to look, unless it does already.
	 */
	public void start() {
		this.regular.start();
	}

	@Override
	public void close() {
		this.regular.close();
	}

	private CompletableFuture<Void> sweep() {
		return this.names.expiring().thenCompose((queues) -> this.round.go(queues, this.expired::expire));
	}

}
