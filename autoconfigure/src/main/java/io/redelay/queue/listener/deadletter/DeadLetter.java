package io.redelay.queue.listener.deadletter;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.limits.KeyName;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.FailedAttemptCodec;
import io.redelay.queue.store.MessageKeys;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.StoredMessage;
import org.jspecify.annotations.Nullable;

/**
 * A dead message, and the copy of it that goes to another queue: with the payload, the
 * headers, the keys and the priority of the sender, without its limits, and with the
 * headers that tell of its death.
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
		Envelope envelope = codec.read(dead.envelope());
		FailedAttempt death = (dead.cause() != null) ? attempts.read(dead.cause()) : null;
		Map<String, Object> headers = new LinkedHashMap<>(envelope.headers());
		headers.remove(QueueHeaders.RESULT_TO); // its sender is told of the death
		DeathHeaders.put(headers, queue, dead, envelope, death);
		String id = queue + "/" + dead.uid();
		Envelope copy = new Envelope(id, headers, null, null, false, envelope.aggregate(), envelope.keys(),
				new HandlingOptions(envelope.handling().payloadType(), null, null), envelope.contentType(), envelope.payload(), Instant.EPOCH, Instant.EPOCH);
		return new DeadLetter(dead.uid(),
				new NewMessage(freshUid, id, null, null, codec.write(copy), keys(envelope.keys()), null));
	}

	/**
	 * The copies of one ordering key are handled one at a time, in the order in which
	 * they are handed on. None of them holds the key when it dies once more: nobody would
	 * look for that there.
	 */
	private static @Nullable MessageKeys keys(Envelope.Keys sent) {
		String ordering = keyOrNull(sent.ordering());
		String fairness = keyOrNull(sent.fairness());
		Integer priority = sent.priority();
		if (priority != null && (priority < 0 || priority > MessageKeys.MAX_PRIORITY)) {
			priority = null;
		}
		MessageKeys keys = new MessageKeys(ordering, fairness, 1, priority, null, false);
		return keys.arePlain() ? null : keys;
	}

	/**
	 * Whatever somebody else wrote into the envelope, the message is to be handed on.
	 */
	private static @Nullable String keyOrNull(@Nullable String key) {
		return (KeyName.problem(key) == null) ? key : null;
	}

}
