package io.redelay.queue.deadletter;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.QueueHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a dead message that was forwarded to another queue: its original queue
 * and the cause of its death.
 *
 * @since 0.1.0
 */
public final class DeathHeaders {

	private static final List<String> OPTIONAL = List.of(QueueHeaders.DEATH_REASON, QueueHeaders.DEATH_EXCEPTION,
			QueueHeaders.DEATH_MESSAGE, QueueHeaders.DEATH_STACK_TRACE);

	private DeathHeaders() {
	}

	/**
	 * Adds the headers to those of the message, in place of those of an earlier death.
	 */
	static void put(Map<String, Object> headers, DeadLetter.Death dead) {
		FailedAttempt death = dead.attempt();
		OPTIONAL.forEach(headers::remove);
		headers.put(QueueHeaders.ORIGINAL_QUEUE, dead.queue());
		headers.put(QueueHeaders.ORIGINAL_ID, dead.id());
		headers.put(QueueHeaders.ORIGINAL_UID, dead.uid());
		headers.put(QueueHeaders.ORIGINAL_SENT_AT, dead.envelope().sentAt().toString());
		headers.put(QueueHeaders.DIED_AT, dead.time().toString());
		headers.put(QueueHeaders.DEATH_INSTANCE, (death != null) ? death.instance() : "");
		headers.put(QueueHeaders.DEATH_LISTENER, (death != null) ? death.listener() : "");
		headers.put(QueueHeaders.DEATH_FAILURES, (death != null) ? death.failures() : 0);
		headers.put(QueueHeaders.DEATH_CRASHES, (death != null) ? death.crashes() : 0);
		if (death != null) {
			putIfPresent(headers, QueueHeaders.DEATH_REASON, (death.reason() != null) ? death.reason().name() : null);
			putIfPresent(headers, QueueHeaders.DEATH_EXCEPTION, death.exception());
			putIfPresent(headers, QueueHeaders.DEATH_MESSAGE, death.message());
			putIfPresent(headers, QueueHeaders.DEATH_STACK_TRACE, death.stackTrace());
		}
	}

	private static void putIfPresent(Map<String, Object> headers, String name, @Nullable String value) {
		if (value != null) {
			headers.put(name, value);
		}
	}

	/**
	 * Reads the cause of a message's death.
	 * @param headers its headers
	 * @return its last attempt, or {@code null} if it is no dead letter
	 */
	public static @Nullable FailedAttempt read(Map<String, Object> headers) {
		if (!headers.containsKey(QueueHeaders.ORIGINAL_UID)) {
			return null;
		}
		String reason = text(headers, QueueHeaders.DEATH_REASON);
		return new FailedAttempt(time(headers), String.valueOf(headers.get(QueueHeaders.DEATH_INSTANCE)),
				String.valueOf(headers.get(QueueHeaders.DEATH_LISTENER)),
				Arrays.stream(DeathReason.values())
					.filter((each) -> each.name().equals(reason))
					.findFirst()
					.orElse(null),
				text(headers, QueueHeaders.DEATH_EXCEPTION), text(headers, QueueHeaders.DEATH_MESSAGE),
				text(headers, QueueHeaders.DEATH_STACK_TRACE), number(headers, QueueHeaders.DEATH_FAILURES),
				number(headers, QueueHeaders.DEATH_CRASHES));
	}

	private static Instant time(Map<String, Object> headers) {
		try {
			return Instant.parse(String.valueOf(headers.get(QueueHeaders.DIED_AT)));
		}
		catch (DateTimeException ex) {
			return Instant.EPOCH;
		}
	}

	private static @Nullable String text(Map<String, Object> headers, String name) {
		return (headers.get(name) instanceof String text) ? text : null;
	}

	private static int number(Map<String, Object> headers, String name) {
		return (headers.get(name) instanceof Number number) ? number.intValue() : 0;
	}

}
