package io.redelay.queue.bundle;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.limits.QueueName;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The message that is sent when all messages of a bundle have ended:
 * {@code BundleCallback.to("imports-done").id("import-17").header("mail", address)}. Its
 * payload is a {@link BundleSummary}. Each method returns a new one and leaves this one
 * as it is.
 *
 * @param queue the queue that it is sent to, where the bundle is kept meanwhile
 * @param id the id of the bundle, or {@code null} for a generated one
 * @param headers headers of the callback
 * @param longestOpen for how long the bundle is open at most
 * @param results how much is kept of what handlers return, or {@code null} for nothing
 * @param firstDeath what becomes of the rest when the first message dies
 * @param firstDeathMessage what is sent when the first message dies, or {@code null} for
 * nothing
 * @since 0.1.0
 */
public record BundleCallback(String queue, @Nullable String id, Map<String, Object> headers, Duration longestOpen,
		@Nullable BundleResultBounds results, FirstDeath firstDeath, @Nullable OutboundMessage firstDeathMessage) {

	/**
	 * For how long a bundle is open at most unless its callback says otherwise.
	 */
	public static final Duration LONGEST_OPEN = Duration.ofDays(1);

	private static final Duration MOST = Duration.ofDays(365);

	/**
	 * Validates the values.
	 */
	public BundleCallback {
		QueueName.check(queue);
		Assert.isTrue(id == null || isId(id),
				() -> "'id' of a bundle must begin with a letter or a digit and have up to 128 letters, digits, '.', "
						+ "'_' and '-': '" + id + "'");
		Assert.notNull(headers, "'headers' must not be null");
		Assert.notNull(firstDeath, "'firstDeath' must not be null");
		headers = headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
		Assert.isTrue(longestOpen.compareTo(Duration.ofSeconds(1)) >= 0 && longestOpen.compareTo(MOST) <= 0,
				() -> "'longestOpen' must be 1s to " + MOST.toDays() + "d: " + longestOpen);
	}

	private static boolean isId(String id) {
		try {
			return !QueueName.check(id).isEmpty();
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	/**
	 * Creates the callback of a bundle with a generated id.
	 * @param queue the queue that it is sent to
	 * @return the callback
	 */
	public static BundleCallback to(String queue) {
		return new BundleCallback(queue, null, Map.of(), LONGEST_OPEN, null, FirstDeath.KEEP_REST, null);
	}

	/**
	 * Sets the id of the bundle. While there is a bundle of this id with a callback to
	 * this queue, opening another one goes on with it.
	 * @param id 1 to 128 letters, digits, {@code .}, {@code _} and {@code -}, the first
	 * one a letter or a digit
	 * @return the callback
	 */
	public BundleCallback id(String id) {
		Assert.notNull(id, "'id' must not be null");
		return new BundleCallback(this.queue, id, this.headers, this.longestOpen, this.results, this.firstDeath,
				this.firstDeathMessage);
	}

	/**
	 * Adds a header to the callback.
	 * @param name the name
	 * @param value a string, a number or a boolean
	 * @return the callback
	 */
	public BundleCallback header(String name, Object value) {
		Map<String, Object> more = new LinkedHashMap<>(this.headers);
		more.put(name, value);
		return new BundleCallback(this.queue, this.id, more, this.longestOpen, this.results, this.firstDeath,
				this.firstDeathMessage);
	}

	/**
	 * Sets for how long the bundle is open at most. A bundle that is still open then is
	 * closed, so that it does not wait forever for a program that crashed; its summary
	 * says so.
	 * @param longestOpen 1 second to 365 days; a day if it is not set
	 * @return the callback
	 */
	public BundleCallback longestOpen(Duration longestOpen) {
		Assert.notNull(longestOpen, "'longestOpen' must not be null");
		return new BundleCallback(this.queue, this.id, this.headers, longestOpen, this.results, this.firstDeath,
				this.firstDeathMessage);
	}

	/**
	 * Keeps what the handlers of the messages return, for {@link BundleSummary#results}:
	 * up to 16 KB of each, and 1 MB together.
	 * @return the callback
	 */
	public BundleCallback keepResults() {
		return keepResults(BundleResultBounds.DEFAULTS);
	}

	/**
	 * Keeps what the handlers of the messages return, for {@link BundleSummary#results}.
	 * @param bounds how much of it; what is beyond is left out and counted
	 * @return the callback
	 */
	public BundleCallback keepResults(BundleResultBounds bounds) {
		Assert.notNull(bounds, "'bounds' must not be null");
		return new BundleCallback(this.queue, this.id, this.headers, this.longestOpen, bounds, this.firstDeath,
				this.firstDeathMessage);
	}

	/**
	 * Sets what becomes of the other messages when the first one dies.
	 * @param firstDeath what becomes of them; {@link FirstDeath#KEEP_REST} if it is not
	 * set
	 * @return the callback
	 */
	public BundleCallback onFirstDeath(FirstDeath firstDeath) {
		Assert.notNull(firstDeath, "'firstDeath' must not be null");
		return new BundleCallback(this.queue, this.id, this.headers, this.longestOpen, this.results, firstDeath,
				this.firstDeathMessage);
	}

	/**
	 * Sends a message once when the first message of the bundle dies. Its headers say
	 * which one, in which bundle, and of what: {@link QueueHeaders#BUNDLE},
	 * {@link QueueHeaders#BUNDLE_QUEUE}, {@link QueueHeaders#ORIGINAL_QUEUE},
	 * {@link QueueHeaders#ORIGINAL_ID}, {@link QueueHeaders#DEATH_REASON},
	 * {@link QueueHeaders#DEATH_EXCEPTION} and {@link QueueHeaders#DEATH_MESSAGE}.
	 * @param queue the queue that it is sent to
	 * @param payload its payload
	 * @return the callback
	 */
	public BundleCallback onFirstDeath(String queue, Object payload) {
		return onFirstDeath(OutboundMessage.to(queue, payload));
	}

	/**
	 * Sends a message once when the first message of the bundle dies; see
	 * {@link #onFirstDeath(String, Object)}.
	 * @param message the message to a queue, whose delay begins with the death. Its
	 * payload must not gather with others
	 * @return the callback
	 */
	public BundleCallback onFirstDeath(OutboundMessage message) {
		Assert.notNull(message, "'message' must not be null");
		return new BundleCallback(this.queue, this.id, this.headers, this.longestOpen, this.results, this.firstDeath,
				message);
	}

}
