package io.redelay.queue;

import java.time.Duration;

import io.redelay.queue.limits.KeyName;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What becomes of messages of one queue that are sent with the same key: see
 * {@link OutboundMessage#deduplicate(Deduplication)}. Each of the three ways has keys of
 * its own.
 *
 * @since 0.1.0
 */
public sealed interface Deduplication {

	/**
	 * The longest time of a window, and the longest time that messages wait for others.
	 */
	Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Returns the key.
	 * @return 1 to 256 characters, none of them a control character
	 */
	String key();

	/**
	 * Returns how long a message waits for others before it is due, or {@code null} if it
	 * does not.
	 * @return the time
	 */
	@Nullable Duration waitTime();

	/**
	 * The first message of a key is added; those that follow within the window are
	 * duplicates of it, whether it was handled already or not. If it dies or is removed,
	 * its key is free.
	 * @param key 1 to 256 characters, none of them a control character
	 * @param window how long from the first send; 1 ms to 3650 days
	 * @return the deduplication
	 * @see FirstWins#extended()
	 */
	static FirstWins firstWins(String key, Duration window) {
		return new FirstWins(key, window, false);
	}

	/**
	 * A message waits for some time before it is due, and the next one with its key
	 * replaces it, as long as no listener holds it. The wait then begins again.
	 * @param key 1 to 256 characters, none of them a control character
	 * @param delay how long after the newest one it is due; 1 ms to 3650 days
	 * @param longestWait how long after the first one it is due at the latest
	 * @return the deduplication
	 */
	static Deduplication debounce(String key, Duration delay, Duration longestWait) {
		return new Debounce(key, delay, longestWait);
	}

	/**
	 * The payloads of a key gather in one message, which is due some time after the first
	 * one, or as soon as it is full. Its size is limited like that of any message.
	 * @param key 1 to 256 characters, none of them a control character
	 * @param maxWait how long after the first payload it is due; 1 ms to 3650 days
	 * @param maxCount how many payloads it has at most; 2 to 1000
	 * @return the deduplication
	 * @see Aggregate#gracePeriod(Duration)
	 */
	static Aggregate aggregate(String key, Duration maxWait, int maxCount) {
		return aggregate(key, maxWait, maxCount, Aggregate.LARGEST);
	}

	/**
	 * The payloads of a key gather in one message, which is due some time after the first
	 * one, or as soon as it is full.
	 * @param key 1 to 256 characters, none of them a control character
	 * @param maxWait how long after the first payload it is due; 1 ms to 3650 days
	 * @param maxCount how many payloads it has at most; 2 to 1000
	 * @param maxBytes how large the message becomes at most, its headers included; a
	 * single payload may be larger, and what {@code redelay.queue.send.max-message-size}
	 * says holds as well
	 * @return the deduplication
	 * @see Aggregate#gracePeriod(Duration)
	 */
	static Aggregate aggregate(String key, Duration maxWait, int maxCount, int maxBytes) {
		return new Aggregate(key, null, maxWait, maxCount, maxBytes);
	}

	private static void checkKey(@Nullable String key) {
		String problem = KeyName.problem(key);
		Assert.isTrue(problem == null, () -> "'key' of a deduplication " + problem
				+ ((key != null) ? ": '" + key + "'" : "") + "; give what distinguishes the messages, such as an id");
	}

	private static void checkTime(String name, @Nullable Duration time) {
		Assert.notNull(time, () -> "'" + name + "' of a deduplication must not be null");
		Assert.isTrue(time.compareTo(Duration.ofMillis(1)) >= 0 && time.compareTo(LONGEST) <= 0,
				() -> "'" + name + "' of a deduplication must be 1 ms to 3650 days: " + time);
	}

	/**
	 * The first message of a key wins.
	 *
	 * @param key the key
	 * @param window how long others are duplicates of it
	 * @param extend whether each duplicate restarts the window
	 */
	record FirstWins(String key, Duration window, boolean extend) implements Deduplication {

		/**
		 * Validates the values.
		 */
		public FirstWins {
			checkKey(key);
			checkTime("window", window);
		}

		/**
		 * Has each duplicate restart the window: the key is free when no message with it
		 * was sent for the time of the window. A duplicate never shortens the window.
		 * @return the deduplication
		 */
		public FirstWins extended() {
			return new FirstWins(this.key, this.window, true);
		}

		@Override
		public @Nullable Duration waitTime() {
			return null;
		}

	}

	/**
	 * The newest message of a key replaces the one that waits.
	 *
	 * @param key the key
	 * @param delay how long after the newest one it is due
	 * @param longestWait how long after the first one it is due at the latest
	 */
	record Debounce(String key, Duration delay, Duration longestWait) implements Deduplication {

		/**
		 * Validates the values.
		 */
		public Debounce {
			checkKey(key);
			checkTime("delay", delay);
			checkTime("longestWait", longestWait);
			Assert.isTrue(longestWait.compareTo(delay) >= 0, () -> "'longestWait' of a deduplication must be at least "
					+ "its 'delay' of " + delay + ": " + longestWait);
		}

		@Override
		public Duration waitTime() {
			return this.delay;
		}

	}

	/**
	 * The payloads of a key gather in one message.
	 *
	 * @param key the key
	 * @param gracePeriod how long after the newest payload it is due, or {@code null} if
	 * only the first one decides
	 * @param maxWait how long after the first payload it is due, with a grace period at
	 * the latest
	 * @param maxCount how many payloads it has at most
	 * @param maxBytes how large it becomes at most
	 */
	record Aggregate(String key, @Nullable Duration gracePeriod, Duration maxWait, int maxCount,
			int maxBytes) implements Deduplication {

		/**
		 * How many payloads a message has at most.
		 */
		public static final int MOST = 1000;

		/**
		 * How large a message becomes by default, 256 KB: Redis rewrites the message for
		 * each payload that is added.
		 */
		public static final int LARGEST = 256 * 1024;

		/**
		 * Validates the values.
		 */
		public Aggregate {
			checkKey(key);
			checkTime("maxWait", maxWait);
			if (gracePeriod != null) {
				checkTime("gracePeriod", gracePeriod);
				Assert.isTrue(maxWait.compareTo(gracePeriod) >= 0,
						() -> "'maxWait' of a deduplication must be at least its 'gracePeriod' of " + gracePeriod + ": "
								+ maxWait);
			}
			Assert.isTrue(maxCount >= 2 && maxCount <= MOST,
					() -> "'maxCount' of a deduplication must be 2 to " + MOST + ": " + maxCount);
			Assert.isTrue(maxBytes >= 1, () -> "'maxBytes' of a deduplication must be at least 1: " + maxBytes);
		}

		/**
		 * Has each payload restart the wait: the message is due when no payload was added
		 * for the grace period, and {@code maxWait} after the first one at the latest. A
		 * payload with a shorter grace period makes the message due no earlier.
		 * @param gracePeriod how long after the newest payload; 1 ms to {@code maxWait}
		 * @return the deduplication
		 */
		public Aggregate gracePeriod(Duration gracePeriod) {
			return new Aggregate(this.key, gracePeriod, this.maxWait, this.maxCount, this.maxBytes);
		}

		/**
		 * Limits how large the message becomes.
		 * @param bytes how large at most, its headers included
		 * @return the deduplication
		 */
		public Aggregate maxBytes(int bytes) {
			return new Aggregate(this.key, this.gracePeriod, this.maxWait, this.maxCount, bytes);
		}

		@Override
		public Duration waitTime() {
			return (this.gracePeriod != null) ? this.gracePeriod : this.maxWait;
		}

	}

}
