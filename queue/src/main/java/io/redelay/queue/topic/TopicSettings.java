package io.redelay.queue.topic;

import java.time.Duration;

import io.redelay.queue.message.TopicRetention;
import org.jspecify.annotations.Nullable;

/**
 * What is configured for a topic.
 *
 * @param groupExpiry how long a group with a name lives without a consumer; zero for no
 * limit
 * @param instanceGroupExpiry how long the group of an instance lives after the last
 * announcement of the instance
 * @param retention what is kept of what is published, or {@code null} if this application
 * does not say
 * @since 0.1.0
 */
public record TopicSettings(Duration groupExpiry, Duration instanceGroupExpiry, @Nullable TopicRetention retention) {

	/**
	 * The settings of a topic without configuration.
	 */
	public static final TopicSettings DEFAULT = new TopicSettings(Duration.ZERO, Duration.ofMinutes(1), null);

}
