package io.redelay.queue.deadletter;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.limits.KeyName;
import io.redelay.queue.limits.TagName;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.StoredMessage;
import org.jspecify.annotations.Nullable;

/**
 * A dead message, and the copy of it that goes to another queue. The copy has the
 * payload, the headers, the keys, the tags and the priority of the sender, but not its
 * limits, and the headers that describe its death.
 *
 * @param uid its uid
 * @param copy its copy
 */
record DeadLetter(String uid, NewMessage copy) {

	/**
	 * Reads a dead message and writes its copy.
	 * @param freshUid the uid of the copy
	 * @throws RuntimeException if the message cannot be read
	 */
	static DeadLetter read(String queue, StoredMessage dead, String freshUid, EnvelopeCodec codec,
			FailedAttemptCodec attempts) {
		FailedAttempt attempt = (dead.cause() != null) ? attempts.read(dead.cause()) : null;
		Instant since = (dead.since() != null) ? dead.since() : Instant.EPOCH;
		return of(new Death(queue, dead.uid(), codec.read(dead.envelope()), attempt, since), freshUid, codec);
	}

	/**
	 * Writes the copy of a message that died.
	 * @param freshUid the uid of the copy
	 */
	static DeadLetter of(Death death, String freshUid, EnvelopeCodec codec) {
		Envelope envelope = death.envelope();
		Map<String, Object> headers = new LinkedHashMap<>(envelope.headers());
		headers.remove(QueueHeaders.RESULT_TO); // its sender gets the death as its result
		DeathHeaders.put(headers, death);
		String id = death.queue() + "/" + death.uid();
		Envelope.Options options = Envelope.Options.of(id, headers, null, Envelope.Lifetime.NONE, envelope.keys(),
				new HandlingOptions(envelope.handling().payloadType(), null, null, null), envelope.aggregate());
		Envelope copy = new Envelope(options, envelope.contentType(), envelope.payload());
		return new DeadLetter(death.uid(),
				new NewMessage(freshUid, id, null, null, codec.write(copy), keys(envelope.keys()), null));
	}

	/**
	 * Returns the keys of the copy. The copies of one ordering key are handled one at a
	 * time, in the order in which they are forwarded. A copy that dies again does not
	 * hold its key: no operator would look for that there.
	 */
	private static @Nullable MessageKeys keys(Envelope.Keys sent) {
		String ordering = keyOrNull(sent.ordering());
		String fairness = keyOrNull(sent.fairness());
		Integer priority = sent.priority();
		if (priority != null && (priority < 0 || priority > MessageKeys.MAX_PRIORITY)) {
			priority = null;
		}
		MessageKeys keys = new MessageKeys(ordering, fairness, 1, priority, null, false, tags(sent.tags()));
		return keys.arePlain() ? null : keys;
	}

	private static Set<String> tags(Set<String> sent) {
		return sent.stream()
			.filter((tag) -> TagName.problem(tag) == null)
			.limit(TagName.MOST)
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/**
	 * Returns a key, or {@code null} if it is invalid: the message is forwarded all the
	 * same.
	 */
	private static @Nullable String keyOrNull(@Nullable String key) {
		return (KeyName.problem(key) == null) ? key : null;
	}

	/**
	 * The death of a message.
	 *
	 * @param queue the queue in which it died
	 * @param uid its uid
	 * @param envelope its envelope
	 * @param attempt its last attempt, if that is known
	 * @param time when it died
	 */
	record Death(String queue, String uid, Envelope envelope, @Nullable FailedAttempt attempt, Instant time) {

		String id() {
			return (this.envelope.id() != null) ? this.envelope.id() : this.uid;
		}

	}

}
