package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.function.Function;

import io.redelay.queue.work.IdempotencyScope;

import org.springframework.messaging.Message;
import org.springframework.util.Assert;

/**
 * How the handler of a queue succeeds once for each key.
 *
 * @param key finds the key of a message
 * @param window for how long a key is done after its handler has succeeded
 * @param scope among which listeners one handles the messages of a key
 * @since 0.1.0
 */
public record IdempotencySettings(Function<Message<?>, String> key, Duration window, IdempotencyScope scope) {

	/**
	 * For how long a key is done by default.
	 */
	public static final Duration DEFAULT_WINDOW = Duration.ofHours(24);

	private static final Duration LEAST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Checks the settings.
	 */
	public IdempotencySettings {
		check("idempotencyWindow", window);
	}

	static void check(String name, Duration window) {
		Assert.isTrue(window.compareTo(LEAST) >= 0 && window.compareTo(LONGEST) <= 0,
				() -> "'" + name + "' must be 1 ms to 3650 days: " + window);
	}

}
