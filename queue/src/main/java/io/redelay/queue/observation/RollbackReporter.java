package io.redelay.queue.observation;

import java.util.Locale;
import java.util.concurrent.Executor;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.request.Rollback;
import org.apache.commons.logging.Log;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Logs that Redis went back in time, and publishes the application event.
 *
 * @since 0.1.0
 */
public final class RollbackReporter implements Rollback.Listener {

	private static final Log logger = PlainLog.of(RollbackReporter.class);

	private final Executor executor;

	private final ApplicationEventPublisher publisher;

	/**
	 * Creates a reporter.
	 * @param executor runs the listeners, which may block
	 * @param publisher publishes the event to them
	 */
	public RollbackReporter(Executor executor, ApplicationEventPublisher publisher) {
		this.executor = executor;
		this.publisher = publisher;
	}

	@Override
	public void rolledBack(Rollback rollback) {
		logger.warn((rollback.lane() != Rollback.Lane.CONSUMER) ? words(rollback) + missing(rollback.missing())
				: words(rollback));
		RedisRolledBackEvent event = new RedisRolledBackEvent(PartitionName.queueOf(rollback.queue()),
				rollback.lane().name().toLowerCase(Locale.ROOT), rollback.forgotten(), rollback.repeated(),
				rollback.givenBack(), rollback.missing());
		try {
			this.executor.execute(() -> publish(event));
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Only this log reports that Redis went back in time", ex);
		}
	}

	private static String words(Rollback rollback) {
		String words = "Redis went back in time, as after a failover to a replica that lagged behind or a restart with"
				+ " older data: of the queue '" + rollback.queue() + "' it has forgotten " + rollback.forgotten()
				+ " request(s)";
		return switch (rollback.lane()) {
			case SENDER -> words + " to send messages. " + rollback.repeated() + " message(s) were sent again";
			case CONSUMER -> words + " of a listener. " + rollback.repeated() + " settlement(s) were made again, "
					+ rollback.givenBack() + " message(s) are delivered again";
			case COMMANDS -> words + " with commands. " + rollback.repeated() + " command(s) were given again";
			case BUNDLES -> words + " on bundles. " + rollback.repeated() + " command(s) on bundles were given again";
		};
	}

	private static String missing(long missing) {
		return (missing == 0) ? ", none is missing"
				: "; " + missing
						+ " request(s) are missing: 'redelay.queue.replay' did not remember them, or Redis did not take"
						+ " them again";
	}

	private void publish(RedisRolledBackEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("A listener to RedisRolledBackEvent failed, which changes nothing for the queue '"
					+ event.queue() + "'", ex);
		}
	}

}
