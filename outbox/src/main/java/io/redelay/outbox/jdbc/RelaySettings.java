package io.redelay.outbox.jdbc;

import java.time.Duration;

/**
 * The settings of the relays of an instance.
 *
 * @param relays how many there are; 0 if the instance only writes
 * @param batchSize how many messages a relay takes at a time
 * @param pollInterval how often a relay looks for messages without a wake-up
 * @param leaseTime how long other relays leave the messages of a relay alone
 * @param firstWait how long a message waits when it failed for the first time; each time
 * twice as long
 * @param longestWait how long it waits at most
 * @since 0.1.0
 */
public record RelaySettings(int relays, int batchSize, Duration pollInterval, Duration leaseTime, Duration firstWait,
		Duration longestWait) {

	Duration wait(int attempts) {
		Duration wait = this.firstWait;
		for (int i = 1; i < attempts && wait.compareTo(this.longestWait) < 0; i++) {
			wait = wait.multipliedBy(2);
		}
		return (wait.compareTo(this.longestWait) < 0) ? wait : this.longestWait;
	}

}
