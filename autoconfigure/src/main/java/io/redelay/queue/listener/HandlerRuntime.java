package io.redelay.queue.listener;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.observation.QueueProcessConvention;
import org.jspecify.annotations.Nullable;

/**
 * What all containers share to call their handlers.
 *
 * @param executor runs handlers; must not bound how many
 * @param timer ends what takes too long; its tasks are short
 * @param observations observes handlers
 * @param convention names the observations, or {@code null} for the usual names
 * @param log logs what is handled, or {@code null} if nothing does
 * @since 0.1.0
 */
public record HandlerRuntime(Executor executor, ScheduledExecutorService timer, ObservationRegistry observations,
		@Nullable QueueProcessConvention convention, @Nullable MessageLog log) {

}
