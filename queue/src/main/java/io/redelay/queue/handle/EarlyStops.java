package io.redelay.queue.handle;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.log.PlainLog;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.failure.Causes;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.MessageStoppedException;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Decides when messages whose handlers stopped early are delivered again, for one
 * listener.
 * <p>
 * Safe for use by many threads.
 */
final class EarlyStops {

	private static final Log logger = PlainLog.of(EarlyStops.class);

	/**
	 * How long a message waits if its handler stopped without a signal and named no
	 * delay: handlers that stop at once must not keep all threads busy.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final String listener;

	private final AtomicBoolean logged = new AtomicBoolean();

	EarlyStops(String listener) {
		this.listener = listener;
	}

	/**
	 * Detects by its exception whether a handler stopped early: a
	 * {@link MessageStoppedException}, or, after its token turned for a shutdown, the
	 * exception of a cancelled future or an interrupted thread.
	 * @param turned why its token has turned, or {@code null} if it has not
	 * @param thrown the exception of the handler
	 * @return a {@link MessageStoppedException} if it did; else the given exception
	 */
	static Throwable unwrap(@Nullable CancellationReason turned, Throwable thrown) {
		if (thrown instanceof BatchFailedException) {
			// It has the outcome of each message.
			return thrown;
		}
		MessageStoppedException stop = Causes.find(thrown, MessageStoppedException.class);
		if (stop != null) {
			return stop;
		}
		boolean ended = turned == CancellationReason.SHUTDOWN && Causes.find(thrown,
				(each) -> each instanceof CancellationException || each instanceof InterruptedException) != null;
		return ended ? new MessageStoppedException(null, thrown) : thrown;
	}

	/**
	 * Returns how long a message waits after its handler stopped.
	 * @param message the message, for the log
	 * @param turned why the handler's token has turned, or {@code null} if it has not
	 */
	Duration delay(Object message, @Nullable CancellationReason turned, MessageStoppedException stop) {
		Duration delay = stop.getDelay();
		if (delay == null) {
			delay = (turned != null) ? Duration.ZERO : unasked(message);
		}
		if (logger.isDebugEnabled()) {
			logger.debug("The " + message + " is given back for " + delay + ": " + FailureText.describe(stop));
		}
		return delay;
	}

	private Duration unasked(Object message) {
		if (this.logged.compareAndSet(false, true)) {
			logger.warn("The " + message + " is given back for " + PAUSE + ", for its handler stopped although nothing"
					+ " asked it to. So is each message of the listener '" + this.listener
					+ "' whose handler does so, as often as it does, for no attempt is counted. Say Paused.after(…) if"
					+ " that is meant");
		}
		return PAUSE;
	}

}
