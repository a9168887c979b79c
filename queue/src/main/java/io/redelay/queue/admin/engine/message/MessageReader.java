package io.redelay.queue.admin.engine.message;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageWork;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.EnvelopeException;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.KeptResult;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.message.StoredWork;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.script.admin.DeathsScript;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages for people, even if they have contents that cannot be decoded.
 *
 * @since 0.1.0
 */
public record MessageReader(EnvelopeCodec codec, FailedAttemptCodec attempts) {

	public QueuedMessage read(String queue, StoredMessage stored) {
		boolean dead = stored.state() == MessageState.DEAD;
		boolean completed = stored.state() == MessageState.COMPLETED;
		KeptResult result = (stored.result() != null) ? KeptResult.read(stored.result()) : null;
		boolean calledOff = result != null && result.contentType().equals(KeptResult.CANCELLED);
		String cause = (result != null && result.contentType().equals(KeptResult.DEAD))
				? new String(result.value(), StandardCharsets.UTF_8) : stored.cause();
		FailedAttempt death = (cause != null) ? this.attempts.read(cause) : null;
		List<FailedAttempt> history = stored.history()
			.stream()
			.map(this.attempts::read)
			.filter(Objects::nonNull)
			.toList();
		Envelope envelope = envelope(stored);
		Instant since = stored.since();
		return new QueuedMessage(queue, stored.id(), stored.uid(), stored.state(), envelope.sentAt(),
				(!dead && !completed && since != null) ? since : envelope.dueAt(),
				(death != null) ? death.failures() : stored.failures(),
				(death != null) ? death.crashes() : stored.crashes(), envelope.headers(), envelope.contentType(),
				envelope.payload(), instance(stored.lane()), stored.cancelled() || calledOff, dead ? since : null,
				death, history, stored.target(), envelope.keys().ordering(), envelope.keys().fairness(),
				envelope.keys().priority(), completed ? since : null,
				(result != null && result.isHandled()) ? result.value() : null, work(stored.work()),
				envelope.handling().payloadType(), envelope.keys().tags(), envelope.options().rounds());
	}

	private static MessageWork work(@Nullable StoredWork stored) {
		if (stored == null) {
			return MessageWork.NONE;
		}
		WorkCodec.StoredLog log = (stored.log() != null) ? WorkCodec.log(stored.log())
				: new WorkCodec.StoredLog(List.of(), 0);
		return new MessageWork((stored.progress() != null) ? WorkCodec.progress(stored.progress()) : null, log.lines(),
				log.dropped(), stored.checkpoint());
	}

	private Envelope envelope(StoredMessage stored) {
		try {
			return this.codec.read(stored.envelope());
		}
		catch (EnvelopeException ex) {
			return new Envelope(Envelope.Options.NONE, "application/octet-stream", stored.envelope());
		}
	}

	private static @Nullable String instance(@Nullable String lane) {
		return (lane != null) ? lane.substring(0, Math.max(0, lane.indexOf('.'))) : null;
	}

	/**
	 * What a message died of, if that is known and can be read.
	 */
	public @Nullable FailedAttempt read(DeathsScript.Death death) {
		return (death.cause() != null) ? this.attempts.read(death.cause()) : null;
	}

}
