package io.redelay.queue.admin.engine.bulk;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes and reads the stored plans and progress of jobs. It has its own mapper, whatever
 * the settings of the application's, because all instances must read the same.
 *
 * @since 0.1.0
 */
public final class BulkJson {

	private final JsonMapper mapper = JsonMapper.shared();

	String write(Object value) {
		return this.mapper.writeValueAsString(value);
	}

	/**
	 * Returns the plan of a job, or {@code null} if another version of Redelay wrote it
	 * and this one cannot read it.
	 */
	@Nullable BulkPlan plan(String json) {
		try {
			return this.mapper.readValue(json, BulkPlan.class);
		}
		catch (JacksonException | IllegalArgumentException ex) {
			return null;
		}
	}

	BulkProgress progress(String json) {
		return json.isEmpty() ? BulkProgress.NONE : this.mapper.readValue(json, BulkProgress.class);
	}

}
