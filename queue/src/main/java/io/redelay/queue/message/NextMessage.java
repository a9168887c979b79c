package io.redelay.queue.message;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.Deduplication;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A message that is sent together with something else, as an acknowledgement or its
 * addition to a bundle: in the same step if the store can, else through the outbox of the
 * queue of that step.
 *
 * @param queue its queue, as the store knows it: a partition
 * @param message the message; its delay begins with that step
 * @param limit how long its queue may be, if that is limited. If it is full, the message
 * waits in the outbox
 * @since 0.1.0
 */
public record NextMessage(String queue, NewMessage message, @Nullable LengthLimit limit) implements CompletionSection {

	/**
	 * The kind of the note by which it waits in an outbox.
	 */
	public static final char KIND = 'm';

	/**
	 * How many bytes it takes beside its envelope, roughly.
	 */
	private static final long HEAD_SIZE = 150;

	private static final String NOW = "-";

	// A text of an older version lacks newer fields.
	private static final JsonMapper MAPPER = JsonMapper.builder()
		.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.changeDefaultPropertyInclusion((inclusion) -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
		.build();

	@Override
	public char type() {
		return KIND;
	}

	/**
	 * Returns the text of the note: the due time, the uid, the queue, the head of the
	 * message as JSON, a line break, the envelope.
	 */
	@Override
	public byte[] text() {
		return HeadedBytes.join(noteHead() + "\n", this.message.envelope());
	}

	/**
	 * Returns the text of the note up to the line break.
	 * @return the head of the note
	 */
	public String noteHead() {
		String when = ScriptTime.when(this.message.delay(), this.message.dueAt());
		return (when.isEmpty() ? NOW : when) + " " + this.message.uid() + " " + this.queue + " "
				+ MAPPER.writeValueAsString(Head.of(this.message));
	}

	@Override
	public long size() {
		return HEAD_SIZE + this.message.envelope().length;
	}

	/**
	 * Returns the target queue of the message in a note.
	 * @param note the note
	 * @return the queue, as the store knows it: a partition
	 * @throws RuntimeException if {@link #text()} did not write the note
	 */
	public static String queueOf(OutboxNote note) {
		return words(headed(note))[2];
	}

	/**
	 * Reads the note by which a message waits in an outbox.
	 * @param note the note
	 * @return the message, due at a time or at once, for a queue whose limit is not known
	 * @throws RuntimeException if {@link #text()} did not write the note
	 */
	public static NextMessage read(OutboxNote note) {
		HeadedBytes text = headed(note);
		String[] words = words(text);
		Instant dueAt = words[0].equals(NOW) ? null : Instant.ofEpochMilli(Long.parseLong(words[0].substring(1)));
		Head head = MAPPER.readValue(words[3], Head.class);
		return new NextMessage(words[2], new NewMessage(words[1], head.id(), NewMessage.timing(null, dueAt),
				text.rest(), head.keys(), head.deduplication(), null, head.bundle()), null);
	}

	private static HeadedBytes headed(OutboxNote note) {
		HeadedBytes text = HeadedBytes.read(note.text(), '\n');
		// Without the line break the note is cut off, and there is no envelope.
		if (text.rest().length == 0) {
			throw new IllegalArgumentException("A note of a message to send has no envelope");
		}
		return text;
	}

	private static String[] words(HeadedBytes text) {
		return text.head().split(" ", 4);
	}

	/**
	 * The data of a message besides its uid, its time and its envelope.
	 */
	private record Head(@Nullable String id, @Nullable MessageKeys keys, Deduplication.@Nullable FirstWins firstWins,
			Deduplication.@Nullable Debounce debounce, Deduplication.@Nullable Aggregate aggregate,
			@Nullable BundleMembership bundle) {

		static Head of(NewMessage message) {
			Deduplication rule = message.deduplication();
			return new Head(message.id(), message.keys(),
					(rule instanceof Deduplication.FirstWins first) ? first : null,
					(rule instanceof Deduplication.Debounce debounce) ? debounce : null,
					(rule instanceof Deduplication.Aggregate aggregate) ? aggregate : null, message.bundle());
		}

		private @Nullable Deduplication deduplication() {
			if (this.firstWins != null) {
				return this.firstWins;
			}
			return (this.debounce != null) ? this.debounce : this.aggregate;
		}

	}

}
