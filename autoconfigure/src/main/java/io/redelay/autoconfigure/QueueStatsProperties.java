package io.redelay.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The counts for the history of queues.
 *
 * @param enabled Whether to count the work of this instance on queues, and to add the
 * counts every five seconds to the history that Redis keeps of each queue.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.stats")
record QueueStatsProperties(@DefaultValue("true") boolean enabled) {

}
