package io.redelay.queue.send;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.observation.QueueSendConvention;
import org.jspecify.annotations.Nullable;

/**
 * What observes and logs sends.
 *
 * @param registry observes sends
 * @param convention names the observations, or {@code null} for the usual names
 * @param log logs what is sent, or {@code null} if nothing does
 * @since 0.1.0
 */
public record SendObservation(ObservationRegistry registry, @Nullable QueueSendConvention convention,
		@Nullable MessageLog log) {

}
