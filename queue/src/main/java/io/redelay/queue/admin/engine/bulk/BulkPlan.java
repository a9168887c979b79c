package io.redelay.queue.admin.engine.bulk;

import java.time.Instant;
import java.util.Objects;

import io.redelay.queue.admin.BulkRequest;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The plan of a job, as it is kept while it runs. It is not written with the mapper of
 * the application, because all instances must read the same.
 *
 * @param queue the queue
 * @param request the action, and which messages it is for
 * @param begun when it began, by the clock of the queue: messages that came later are
 * left alone
 * @param total how many messages there were in the states that it goes through
 */
record BulkPlan(String queue, BulkRequest request, Instant begun, long total) {

	/**
	 * Refuses what is no plan.
	 */
	BulkPlan {
		Objects.requireNonNull(queue, "queue");
		Objects.requireNonNull(request, "request");
		Objects.requireNonNull(begun, "begun");
	}

	/**
	 * Returns the plan of a job, or {@code null} if another version of Redelay wrote it
	 * and this one cannot read it.
	 */
	static @Nullable BulkPlan read(String json) {
		try {
			return JsonMapper.shared()
				.readerFor(BulkPlan.class)
				.without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
				.readValue(json);
		}
		catch (JacksonException | IllegalArgumentException ex) {
			return null;
		}
	}

	String write() {
		return JsonMapper.shared().writeValueAsString(this);
	}

}
