package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;

/**
 * A topic, with its groups and what it retains.
 *
 * @param name the topic
 * @param groups its groups by name
 * @param retains whether published messages are kept
 * @param maxAge for how long they are kept; zero if that is not limited
 * @param maxCount how many messages are kept; 0 if that is not limited
 * @param maxBytes how many bytes are kept; 0 if that is not limited
 * @since 0.1.0
 */
public record TopicInfo(String name, List<TopicGroupInfo> groups, boolean retains, Duration maxAge, long maxCount,
		long maxBytes) {
}
