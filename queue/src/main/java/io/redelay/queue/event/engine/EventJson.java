package io.redelay.queue.event.engine;

import java.util.List;
import java.util.function.Function;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.QueueEvent;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes and reads the events of a batch as JSON, independent of the application's own
 * mapper.
 */
final class EventJson {

	static final TypeReference<List<MessageEvent>> EVENTS = new TypeReference<>() {
	};

	static final TypeReference<List<QueueEvent>> QUEUES = new TypeReference<>() {
	};

	String write(List<?> events) {
		return Shared.MAPPER.writeValueAsString(events);
	}

	/**
	 * Reads events, without those of a type that only a later version knows.
	 * @param type what the events are
	 * @param kind gives the type of an event, {@code null} if it is not known
	 * @return the events, or {@code null} if there are none to read
	 */
	<T> @Nullable List<T> read(String json, TypeReference<List<T>> type, Function<T, @Nullable Object> kind) {
		try {
			List<T> events = Shared.MAPPER.readValue(json, type);
			if (events != null) {
				events.removeIf((event) -> event == null || kind.apply(event) == null);
			}
			return events;
		}
		catch (JacksonException | UnsupportedOperationException ex) {
			return null;
		}
	}

	/**
	 * The mapper, made for the first events: most applications have none.
	 */
	private static final class Shared {

		private static final JsonMapper MAPPER = JsonMapper.builder()
			.enable(EnumFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
			.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
			.changeDefaultPropertyInclusion((all) -> all.withValueInclusion(JsonInclude.Include.NON_EMPTY))
			.build();

	}

}
