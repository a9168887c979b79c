package io.redelay.queue.listener;

import java.util.List;
import java.util.concurrent.Executor;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.DuplicateListener;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.observation.QueueProcessConvention;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.converter.MessageConverter;

/**
 * What all containers share to call their handlers.
 *
 * @param executor runs handlers; must not bound how many
 * @param scheduler ends what takes too long
 * @param observations observes handlers
 * @param convention names the observations, or {@code null} for the usual names
 * @param log logs what is handled, or {@code null} if nothing does
 * @param duplicates are told of duplicates
 * @param converter converts what handlers return, where that is kept; {@code null} if
 * nothing does
 * @param meter is told of each handling
 * @since 0.1.0
 */
public record HandlerRuntime(Executor executor, Scheduler scheduler, ObservationRegistry observations,
		@Nullable QueueProcessConvention convention, @Nullable MessageLog log, List<DuplicateListener> duplicates,
		@Nullable MessageConverter converter, QueueMeter meter) {

	/**
	 * What containers share that keep no results and measure nothing.
	 */
	public HandlerRuntime(Executor executor, Scheduler scheduler, ObservationRegistry observations,
			@Nullable QueueProcessConvention convention, @Nullable MessageLog log, List<DuplicateListener> duplicates) {
		this(executor, scheduler, observations, convention, log, duplicates, null, QueueMeter.NONE);
	}

}
