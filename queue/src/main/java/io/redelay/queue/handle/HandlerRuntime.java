package io.redelay.queue.handle;

import java.util.List;
import java.util.concurrent.Executor;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.listener.DuplicateListener;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.observation.QueueProcessConvention;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.converter.MessageConverter;

/**
 * The parts that all containers share to call their handlers.
 *
 * @param executor runs handlers; must not bound their number
 * @param scheduler ends handling that takes too long
 * @param observations observes handlers
 * @param convention names the observations, or {@code null} for the usual names
 * @param log logs handled messages, or {@code null} for no such log
 * @param duplicates called for duplicates
 * @param converter converts kept results of handlers; {@code null} if none are kept
 * @param meters count each handling
 * @since 0.1.0
 */
public record HandlerRuntime(Executor executor, Scheduler scheduler, ObservationRegistry observations,
		@Nullable QueueProcessConvention convention, @Nullable MessageLog log, List<DuplicateListener> duplicates,
		@Nullable MessageConverter converter, QueueMeters meters) {

}
