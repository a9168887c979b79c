package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.MessageFilter;
import org.jspecify.annotations.Nullable;

/**
 * A job as the endpoint shows it.
 *
 * @param id its id
 * @param queue the queue
 * @param action what it does
 * @param state whether it runs
 * @param filter with which messages: the parameters it was started with
 * @param total how many messages it goes through
 * @param seen how many it has looked at
 * @param matched how many of them it was meant for
 * @param done how many of these it has dealt with
 * @param refused how many of these could not be dealt with so
 * @param perSecond how many a second at most
 * @param limit how many at most
 * @param due when messages that it reschedules are due
 * @param delayMillis how long after its start they are due, instead
 * @param spreadMillis over how long they are due, from then on
 * @param startedBy the user who started it
 * @param startedAt when it began
 * @param endedAt when it ended
 * @param failure why it cannot go on
 * @param instance the instance that carries it out
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record JobView(String id, String queue, String action, String state, Map<String, Object> filter, long total, long seen,
		long matched, long done, long refused, @Nullable Double perSecond, @Nullable Long limit, @Nullable Instant due,
		@Nullable Double delayMillis, @Nullable Double spreadMillis, @Nullable String startedBy, Instant startedAt,
		@Nullable Instant endedAt, @Nullable String failure, @Nullable String instance) {

	static JobView of(BulkJob job, boolean inside) {
		BulkRequest request = job.request();
		return new JobView(job.id(), job.queue(), request.action().name(), job.state().name(),
				filter(request.filter(), inside), job.total(), job.seen(), job.matched(), job.done(), job.refused(),
				request.perSecond(), request.limit(), request.due(), millis(request.delay()), millis(request.spread()),
				request.startedBy(), job.startedAt(), job.endedAt(), job.failure(), job.instance());
	}

	private static @Nullable Double millis(@Nullable Duration duration) {
		return (duration != null) ? RecordView.millis(duration) : null;
	}

	/**
	 * The filter, without values that are not set.
	 * @param inside whether headers and fields of payloads may be seen
	 */
	private static Map<String, Object> filter(MessageFilter filter, boolean inside) {
		Map<String, Object> view = new LinkedHashMap<>();
		RecordView.of(filter).forEach((name, value) -> {
			boolean isSet = !(value instanceof Map<?, ?> map && map.isEmpty())
					&& !(value instanceof Collection<?> values && values.isEmpty())
					&& !(value instanceof Number number && number.intValue() == 0);
			boolean isInside = name.equals("headers") || name.equals("fields");
			if (isSet && (inside || !isInside)) {
				view.put(name, value);
			}
		});
		return view;
	}

}
