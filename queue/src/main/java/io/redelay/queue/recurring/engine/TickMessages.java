package io.redelay.queue.recurring.engine;

import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.HandlingOptions;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.listener.TickAdmission;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringTick;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.Lifetime;
import io.redelay.queue.store.MessageKeys;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.Uids;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.MimeTypeUtils;

/**
 * Creates the messages of ticks.
 */
final class TickMessages {

	/**
	 * Before the name, in the ordering key of those that wait for each other.
	 */
	private static final String ORDERING_KEY = "recurring:";

	private final EnvelopeCodec codec;

	private final JsonMapper mapper;

	private final Uids uids = new Uids();

	TickMessages(EnvelopeCodec codec, JsonMapper mapper) {
		this.codec = codec;
		this.mapper = mapper;
	}

	/**
	 * Creates a message.
	 * @param name the name of the recurring message
	 * @param declaration what was declared
	 * @param tick the time of the tick, at which the message is due
	 */
	NewMessage create(String name, StoredDeclaration declaration, Instant tick) {
		Map<String, Object> headers = new LinkedHashMap<>();
		headers.put(QueueHeaders.RECURRING, name);
		headers.put(QueueHeaders.TICK, tick.toString());
		String key = (declaration.overlap() == OverlappingRuns.QUEUE) ? ORDERING_KEY + name : null;
		Set<String> tags = new LinkedHashSet<>(declaration.tags());
		String contentType = declaration.contentType();
		String payload = declaration.payload();
		byte[] content = (payload != null) ? Base64.getDecoder().decode(payload)
				: this.mapper.writeValueAsBytes(new RecurringTick(name, tick));
		Envelope envelope = new Envelope(null, headers, null, Lifetime.NONE, false,
				Envelope.Keys.of(key, null, null, tags), HandlingOptions.NONE,
				(contentType != null) ? contentType : MimeTypeUtils.APPLICATION_JSON_VALUE, content, Instant.EPOCH,
				Instant.EPOCH);
		return new NewMessage(this.uids.next() + TickAdmission.UID_SUFFIX, null, null, tick, this.codec.write(envelope),
				new MessageKeys(key, null, 1, null, null, false, tags), null);
	}

}
