package io.redelay.outbox.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.OutboxNote;
import org.jspecify.annotations.Nullable;

/**
 * A message as a text that a person can read, the one that the outboxes of queues in
 * Redis have, too. How long it is to wait stands in a column of its own.
 */
final class MessageText {

	private MessageText() {
	}

	static String write(String destination, NewMessage message) {
		NewMessage undelayed = new NewMessage(message.uid(), message.id(), null, message.dueAt(), message.envelope(),
				message.keys(), message.deduplication());
		return new String(new NextMessage(destination, undelayed, null).text(), StandardCharsets.UTF_8);
	}

	/**
	 * Reads a message.
	 * @param delay how long it is to wait, if it was sent with a delay
	 * @throws IllegalArgumentException if the text is none that this version can read
	 */
	static NewMessage read(String text, @Nullable Duration delay) {
		try {
			NewMessage message = NextMessage
				.read(new OutboxNote("", NextMessage.KIND, text.getBytes(StandardCharsets.UTF_8)))
				.message();
			return (delay == null) ? message : new NewMessage(message.uid(), message.id(), delay, null,
					message.envelope(), message.keys(), message.deduplication());
		}
		catch (RuntimeException ex) {
			throw new IllegalArgumentException(
					"it was written by another version of Redelay, or was changed: " + ex.getMessage(), ex);
		}
	}

}
