package io.redelay.queue.admin.engine.instance;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.redelay.delivery.LockUse;
import io.redelay.log.PlainLog;
import io.redelay.queue.admin.InstanceListener;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an instance announces of itself, as JSON.
 *
 * @param name its display name
 * @param startedAt when it started, by its own clock
 * @param upMillis for how long it was there when it announced this; an earlier version
 * does not announce it
 * @param ttlMillis for how long the announcement is valid
 * @param believedMillis for how long the instance is believed to be there without another
 * one; an earlier version does not announce it, and ends its announcement then
 * @param client the id by which Redis knows the locks of its client
 * @param listeners its listeners
 * @param locks the locks that it holds or waits for
 * @param inlets the queues whose inlets it takes over; {@code null} if it does not
 * announce them
 * @param answers whether it answers questions; an earlier version does not
 */
record InstanceDescription(String name, Instant startedAt, long upMillis, long ttlMillis, long believedMillis,
		@Nullable String client, List<InstanceListener> listeners, Locks locks, @Nullable Set<String> inlets,
		boolean answers) {

	private static final Log logger = PlainLog.of(InstanceDescription.class);

	/**
	 * Completes the announcement of an earlier version, and refuses what is none.
	 */
	InstanceDescription {
		Objects.requireNonNull(name, "name");
		Objects.requireNonNull(startedAt, "startedAt");
		Objects.requireNonNull(listeners, "listeners");
		Objects.requireNonNull(locks, "locks");
		believedMillis = (believedMillis > 0) ? believedMillis : ttlMillis;
	}

	/**
	 * Reads an announcement; an instance of another version may write another format.
	 * @return the description, or {@code null} if it cannot be read
	 */
	static @Nullable InstanceDescription read(JsonMapper mapper, @Nullable String text) {
		if (text == null) {
			return null;
		}
		try {
			return mapper.readerFor(InstanceDescription.class)
				.without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
				.readValue(text);
		}
		catch (JacksonException ex) {
			logger.debug("The description of an instance cannot be read", ex);
			return null;
		}
	}

	/**
	 * The locks that an instance holds or waits for.
	 *
	 * @param uses the locks, at most a hundred
	 * @param held how many it holds
	 * @param awaited for how many it waits
	 */
	record Locks(List<LockUse> uses, int held, int awaited) {

	}

}
