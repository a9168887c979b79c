package io.redelay.autoconfigure;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What is counted for the history of queues.
 *
 * @param enabled Whether to count what this instance does with queues, and to add it
 * every five seconds to the last hour that Redis keeps of each queue.
 * @since 0.1.0
 */
public record QueueStatsProperties(@DefaultValue("true") boolean enabled) {

}
