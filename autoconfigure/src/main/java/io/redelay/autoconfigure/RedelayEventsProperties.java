package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.event.engine.EventSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the events of messages, queues and listeners.
 *
 * @param enabled Whether there are events of messages, if they have a listener.
 * @param buffer How many events wait for the listeners of this instance, and as many to
 * be written to the feed. More are dropped and counted.
 * @param feed The feed of the events of all instances.
 * @param listenerIdleAfter How long a listener gets no message before an event reports
 * that it is idle. By default there is no such event.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.events")
record RedelayEventsProperties(@DefaultValue("true") boolean enabled, @DefaultValue("10000") int buffer,
		@DefaultValue Feed feed, @Nullable Duration listenerIdleAfter) {

	/**
	 * Checks the values.
	 */
	public RedelayEventsProperties {
		if (buffer <= 0) {
			throw new IllegalArgumentException("'redelay.events.buffer' must be positive: " + buffer);
		}
		PropertyBounds.atLeast("redelay.events.listener-idle-after", listenerIdleAfter, Duration.ofMillis(100));
	}

	EventSettings toSettings(String instance) {
		return new EventSettings(this.buffer, this.enabled && this.feed.enabled(), this.feed.gather(),
				this.feed.pollInterval(), instance);
	}

	/**
	 * Properties of the feed.
	 *
	 * @param enabled Whether this instance writes its events to the feed of all
	 * instances. Any instance can listen to the feed.
	 * @param gather How long events wait for others before they are written together.
	 * @param pollInterval How often an instance that listens to the feed reads it.
	 * @param maxBatches How many batches the feed keeps, each of 250 events at most.
	 */
	public record Feed(@DefaultValue("false") boolean enabled, @DefaultValue("200ms") Duration gather,
			@DefaultValue("500ms") Duration pollInterval, @DefaultValue("200") int maxBatches) {

		/**
		 * Checks the values.
		 */
		public Feed {
			if (gather.isNegative() || gather.compareTo(Duration.ofMinutes(1)) > 0) {
				throw new IllegalArgumentException("'redelay.events.feed.gather' must be 0 to 1m: " + gather);
			}
			if (pollInterval.compareTo(Duration.ofMillis(10)) < 0) {
				throw new IllegalArgumentException(
						"'redelay.events.feed.poll-interval' must be at least 10ms: " + pollInterval);
			}
			if (maxBatches <= 0 || maxBatches > 10_000) {
				throw new IllegalArgumentException(
						"'redelay.events.feed.max-batches' must be 1 to 10,000: " + maxBatches);
			}
		}

	}

}
