package io.redelay.outbox.autoconfigure;

import java.time.Duration;

import io.redelay.outbox.jdbc.OutboxSettings;
import io.redelay.outbox.jdbc.RelaySettings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.util.Assert;

/**
 * Configuration properties of the outbox.
 *
 * @param initializeSchema When to create the tables of the outbox and to bring them up to
 * date: for embedded databases only, always, or never.
 * @param requireTransaction Whether a message that is written outside of a transaction is
 * refused. Otherwise it is written in a transaction of its own.
 * @param relays How many relays this instance has, each with a thread. Without any it
 * only writes, and other instances send.
 * @param batchSize How many messages a relay takes at a time, 1 to 1000.
 * @param pollInterval How often a relay looks for messages that other instances wrote or
 * left behind. Its own instance wakes it after each commit.
 * @param leaseTime How long the messages of a relay are reserved for it. After this time,
 * another relay sends the messages of a crashed instance.
 * @param window How long a queue remembers the messages that the outbox sent to it. A
 * message sent again within that time, because a relay crashed, is not added twice.
 * @param retry Wait of messages that could not be sent.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.outbox")
record RedelayOutboxProperties(@DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
		@DefaultValue("true") boolean requireTransaction, @DefaultValue("1") int relays,
		@DefaultValue("100") int batchSize, @DefaultValue("2s") Duration pollInterval,
		@DefaultValue("1m") Duration leaseTime, @DefaultValue("1h") Duration window, @DefaultValue Retry retry) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	/**
	 * Checks the values.
	 */
	public RedelayOutboxProperties {
		Assert.isTrue(relays >= 0 && relays <= 64, () -> "'redelay.outbox.relays' must be 0 to 64: " + relays);
		Assert.isTrue(batchSize >= 1 && batchSize <= 1000,
				() -> "'redelay.outbox.batch-size' must be 1 to 1000: " + batchSize);
		Assert.isTrue(pollInterval.compareTo(SHORTEST) >= 0,
				() -> "'redelay.outbox.poll-interval' must be at least 1ms: " + pollInterval);
		Assert.isTrue(leaseTime.compareTo(Duration.ofSeconds(1)) >= 0,
				() -> "'redelay.outbox.lease-time' must be at least 1s: " + leaseTime);
		Assert.isTrue(window.compareTo(leaseTime.multipliedBy(2)) >= 0,
				() -> "'redelay.outbox.window' must be at least twice 'redelay.outbox.lease-time', or what a relay had "
						+ "in hand when it crashed could be added twice: " + window + " and " + leaseTime);
	}

	OutboxSettings toSettings(boolean embedded) {
		boolean initialize = switch (this.initializeSchema) {
			case ALWAYS -> true;
			case EMBEDDED -> embedded;
			case NEVER -> false;
		};
		return new OutboxSettings(initialize, this.requireTransaction, this.window,
				new RelaySettings(this.relays, this.batchSize, this.pollInterval, this.leaseTime,
						this.retry.initialInterval(), this.retry.maxInterval()));
	}

	/**
	 * Properties of retries.
	 *
	 * @param initialInterval How long a message waits when it could not be sent for the
	 * first time. Each further time it waits twice as long.
	 * @param maxInterval How long it waits at most.
	 */
	public record Retry(@DefaultValue("1s") Duration initialInterval, @DefaultValue("5m") Duration maxInterval) {

		/**
		 * Checks the values.
		 */
		public Retry {
			Assert.isTrue(initialInterval.compareTo(SHORTEST) >= 0,
					() -> "'redelay.outbox.retry.initial-interval' must be at least 1ms: " + initialInterval);
			Assert.isTrue(maxInterval.compareTo(initialInterval) >= 0,
					() -> "'redelay.outbox.retry.max-interval' must be at least the initial interval of "
							+ initialInterval + ": " + maxInterval);
		}

	}

}
