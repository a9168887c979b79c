package io.redelay.queue.recurring.engine;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes and reads the stored state of a recurring message: the uids of its messages in a
 * line, for the scripts, and JSON.
 */
final class RecurringJson {

	private final JsonMapper mapper;

	RecurringJson(JsonMapper mapper) {
		this.mapper = mapper;
	}

	String write(StoredRecurring state) {
		Stream<String> next = (state.nextUid() != null) ? Stream.of(state.nextUid()) : Stream.empty();
		Stream<String> others = Stream.concat(state.runs().stream().map(StoredRun::uid), state.withdrawn().stream());
		return Stream.concat(next, others).collect(Collectors.joining(" ")) + "\n"
				+ this.mapper.writeValueAsString(state);
	}

	/**
	 * Reads it.
	 * @return what is kept, or {@code null} if nothing is
	 * @throws IllegalStateException if it is not what {@link #write} wrote
	 */
	@Nullable StoredRecurring read(@Nullable String kept) {
		if (kept == null) {
			return null;
		}
		try {
			return this.mapper.readValue(kept.substring(kept.indexOf('\n') + 1), StoredRecurring.class);
		}
		catch (JacksonException ex) {
			throw new IllegalStateException("What Redis has of a recurring message cannot be read: " + kept, ex);
		}
	}

}
