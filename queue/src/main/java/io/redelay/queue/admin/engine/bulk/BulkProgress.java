package io.redelay.queue.admin.engine.bulk;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The progress of a job.
 *
 * @param cursor where the search goes on, or {@code null} at first and at the end
 * @param seen how many messages were looked at
 * @param matched how many of them the job was meant for
 * @param done on how many of these the action was carried out
 * @param refused on how many of these it was refused
 * @param failure why the job failed, or {@code null}
 */
record BulkProgress(@Nullable String cursor, long seen, long matched, long done, long refused,
		@Nullable String failure) {

	static final BulkProgress NONE = new BulkProgress(null, 0, 0, 0, 0, null);

	static BulkProgress read(String json) {
		return json.isEmpty() ? NONE
				: JsonMapper.shared()
					.readerFor(BulkProgress.class)
					.without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
					.readValue(json);
	}

	String write() {
		return JsonMapper.shared().writeValueAsString(this);
	}

	BulkProgress failed(String why) {
		return new BulkProgress(this.cursor, this.seen, this.matched, this.done, this.refused, why);
	}

}
