package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.json.JsonMapper;

/**
 * The format of envelopes: its version, its limits, and what it begins with.
 */
final class EnvelopeFormat {

	static final int VERSION = 1;

	static final String JSON = "application/json";

	static final String TEXT = "text/plain";

	/**
	 * How deep a JSON payload may be nested.
	 */
	static final int MAX_DEPTH = 500;

	/**
	 * How many characters a number may have, in a JSON payload or in a header.
	 */
	static final int MAX_NUMBER_LENGTH = 1000;

	/**
	 * How many characters a name may have, in a JSON payload or of a header.
	 */
	static final int MAX_NAME_LENGTH = 50_000;

	/**
	 * The beginning of an envelope that has only a JSON payload, as most have.
	 */
	static final byte[] PLAIN = ("{\"v\":" + VERSION + ",\"payload\":").getBytes(StandardCharsets.UTF_8);

	/**
	 * The beginning of an envelope that has a time to live.
	 */
	static final byte[] EXPIRING = ("{\"v\":" + VERSION + ",\"timeToLive\":").getBytes(StandardCharsets.UTF_8);

	/**
	 * The beginning of an envelope that has a deadline and no time to live.
	 */
	static final byte[] OVERDUE = ("{\"v\":" + VERSION + ",\"deadline").getBytes(StandardCharsets.UTF_8);

	private EnvelopeFormat() {
	}

	/**
	 * A mapper that refuses JSON beyond the limits. Each thread has its own buffers: they
	 * are small, and sharing them would cost more than a new thread pays for its own.
	 */
	static JsonMapper mapper(int maxDepth) {
		StreamReadConstraints limits = StreamReadConstraints.builder()
			.maxNestingDepth(maxDepth)
			.maxNumberLength(MAX_NUMBER_LENGTH)
			.maxNameLength(MAX_NAME_LENGTH)
			.maxStringLength(Integer.MAX_VALUE)
			.maxDocumentLength(-1)
			.maxTokenCount(-1)
			.build();
		return new JsonMapper(JsonFactory.builder()
			.recyclerPool(JsonRecyclerPools.threadLocalPool())
			.streamReadConstraints(limits)
			.build());
	}

}
