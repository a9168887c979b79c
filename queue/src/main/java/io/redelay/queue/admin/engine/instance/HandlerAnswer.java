package io.redelay.queue.admin.engine.instance;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.HandlerStack;
import io.redelay.queue.admin.RunningHandler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an instance says of its handlers, as JSON.
 *
 * @param handlers its handlers
 * @param omitted how many others there are
 * @param times how long handlings took
 * @param stack the stack that was asked for, if a handler has the message
 * @param interrupted whether a handler was interrupted; {@code null} if none has the
 * message
 */
record HandlerAnswer(@Nullable List<RunningHandler> handlers, int omitted, @Nullable List<Times> times,
		@Nullable HandlerStack stack, @Nullable Boolean interrupted) {

	static final HandlerAnswer NOTHING = new HandlerAnswer(null, 0, null, null, null);

	private static final Log logger = PlainLog.of(HandlerAnswer.class);

	/**
	 * Refuses an answer with gaps, as another version may give it.
	 */
	HandlerAnswer {
		handlers = (handlers != null) ? List.copyOf(handlers) : null;
		times = (times != null) ? List.copyOf(times) : null;
	}

	/**
	 * Reads an answer; an instance of another version may write another format.
	 * @return the answer, or {@code null} if it cannot be read
	 */
	static @Nullable HandlerAnswer read(JsonMapper mapper, String text) {
		try {
			return mapper.readerFor(HandlerAnswer.class)
				.without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
				.readValue(text);
		}
		catch (JacksonException ex) {
			logger.debug("The answer of an instance cannot be read", ex);
			return null;
		}
	}

	static HandlerAnswer of(HandlerStack stack) {
		return new HandlerAnswer(null, 0, null, stack, null);
	}

	static HandlerAnswer of(boolean interrupted) {
		return new HandlerAnswer(null, 0, null, null, interrupted);
	}

	/**
	 * How long the handlings of messages with a payload type took.
	 *
	 * @param queue the queue
	 * @param payloadType the payload type, or {@code null} for messages without one
	 * @param counts how many took how long, see {@link HandlingTimes}
	 */
	record Times(String queue, @Nullable String payloadType, Map<Integer, Integer> counts) {

		Times {
			Objects.requireNonNull(queue, "queue");
			counts = Map.copyOf(counts);
		}

	}

}
