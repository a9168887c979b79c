package io.redelay.queue.event.engine;

import java.time.Duration;

/**
 * The settings of events.
 *
 * @param buffer how many events wait for listeners, and how many to be written
 * @param feed whether this instance writes to the feed
 * @param gather how long events wait for others before they are written
 * @param interval how often the feed is read
 * @param instance the display name of this instance
 * @since 0.1.0
 */
public record EventSettings(int buffer, boolean feed, Duration gather, Duration interval, String instance) {

}
