package io.redelay.queue.event.engine;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.QueueEvent;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes and reads the events of a batch as JSON, independent of the application's own
 * mapper.
 */
final class EventJson {

	private static final TypeReference<List<MessageEvent>> EVENTS = new TypeReference<>() {
	};

	private static final TypeReference<List<QueueEvent>> QUEUES = new TypeReference<>() {
	};

	private final JsonMapper mapper = JsonMapper.builder()
		.enable(EnumFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
		.changeDefaultPropertyInclusion((all) -> all.withValueInclusion(JsonInclude.Include.NON_EMPTY))
		.build();

	String write(List<?> events) {
		return this.mapper.writeValueAsString(events);
	}

	/**
	 * Reads events, without those of a type that only a later version knows.
	 * @return the events, or {@code null} if there are none to read
	 */
	@Nullable List<MessageEvent> read(String json) {
		List<MessageEvent> events = read(json, EVENTS);
		if (events != null) {
			events.removeIf((event) -> event == null || event.type() == null);
		}
		return events;
	}

	/**
	 * Reads changes of queues, without those of a type that only a later version knows.
	 * @return the changes, or {@code null} if there are none to read
	 */
	@Nullable List<QueueEvent> readQueues(String json) {
		List<QueueEvent> events = read(json, QUEUES);
		if (events != null) {
			events.removeIf((event) -> event == null || event.type() == null);
		}
		return events;
	}

	private <T> @Nullable List<T> read(String json, TypeReference<List<T>> type) {
		try {
			return this.mapper.readValue(json, type);
		}
		catch (JacksonException | UnsupportedOperationException ex) {
			return null;
		}
	}

}
