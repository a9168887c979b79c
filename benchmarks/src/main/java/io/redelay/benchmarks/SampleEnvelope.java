package io.redelay.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;

import io.redelay.queue.HandlingOptions;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;

/**
 * Makes the envelope that the store is measured with.
 *
 * @since 0.1.0
 */
public final class SampleEnvelope {

	private SampleEnvelope() {
	}

	/**
	 * Makes an envelope.
	 * @param bytes how long its payload is
	 * @return the bytes
	 */
	public static byte[] of(int bytes) {
		String payload = "{\"data\":\"" + "x".repeat(Math.max(0, bytes - 11)) + "\"}";
		return new EnvelopeCodec()
			.write(new Envelope(Envelope.Options.NONE, "application/json", payload.getBytes(StandardCharsets.UTF_8)));
	}

}
