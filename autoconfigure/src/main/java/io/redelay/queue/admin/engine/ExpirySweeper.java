package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.queue.store.QueueAdminStore;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Expires messages of a server whose time to live is over, whether or not anybody listens
 * to their queues. Does nothing before it is started, and then asks at an interval which
 * queues have such messages at all.
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

	private static final Log logger = LogFactory.getLog(ExpirySweeper.class);

	private final QueueAdminStore store;

	private final ExpiredMessages expired;

	private final Scheduler scheduler;

	private final Duration interval;

	private final AtomicBoolean sweeping = new AtomicBoolean();

	private volatile boolean started;

	private boolean closed;

	private @Nullable ScheduledTask regular;

	/**
	 * Creates a sweeper.
	 * @param store the store
	 * @param expired expires the messages of a queue
	 * @param scheduler when to look
	 * @param interval how often
	 */
	public ExpirySweeper(QueueAdminStore store, ExpiredMessages expired, Scheduler scheduler, Duration interval) {
		this.store = store;
		this.expired = expired;
		this.scheduler = scheduler;
		this.interval = interval;
	}

	/**
	 * Begins to look, unless it does already.
	 */
	public void start() {
		if (!this.started) {
			schedule();
		}
	}

	private synchronized void schedule() {
		if (this.started || this.closed) {
			return;
		}
		this.regular = this.scheduler.repeat(this::sweep, this.interval, this.interval);
		this.started = this.regular != null;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.regular != null) {
			this.regular.cancel();
		}
	}

	private void sweep() {
		if (!this.sweeping.compareAndSet(false, true)) {
			return;
		}
		try {
			this.store.expiring()
				.thenCompose((queues) -> expire(queues.iterator()))
				.whenComplete((done, failure) -> ended(failure));
		}
		catch (RuntimeException ex) {
			ended(ex);
		}
	}

	private CompletableFuture<Void> expire(Iterator<String> queues) {
		return queues.hasNext() ? this.expired.expire(queues.next()).thenCompose((done) -> expire(queues))
				: CompletableFuture.completedFuture(null);
	}

	private void ended(@Nullable Throwable failure) {
		this.sweeping.set(false);
		if (failure != null) {
			logger.debug("Messages whose time to live is over were not looked for, which is tried again", failure);
		}
	}

}
