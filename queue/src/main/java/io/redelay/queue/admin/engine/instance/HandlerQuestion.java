package io.redelay.queue.admin.engine.instance;

import io.redelay.log.PlainLog;
import io.redelay.queue.handle.Delivery;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an instance is asked of its handlers, as JSON.
 *
 * @param kind what is asked: {@link #LIST}, {@link #STACK} or {@link #INTERRUPT}; a later
 * version may ask something else
 * @param queue the queue, or {@code null} for all
 * @param id the id or uid of the message, or {@code null} for all
 * @param claim the number of the claim, or {@code null} for any
 * @param lines whether a list is to name threads and lines of code
 * @param until when nobody waits for an answer any more, in milliseconds by the clock of
 * Redis: no handler is interrupted after that
 */
record HandlerQuestion(String kind, @Nullable String queue, @Nullable String id, @Nullable Long claim, boolean lines,
		long until) {

	static final String LIST = "list";

	static final String STACK = "stack";

	static final String INTERRUPT = "interrupt";

	private static final Log logger = PlainLog.of(HandlerQuestion.class);

	/**
	 * Reads a question.
	 * @return the question, or {@code null} if it cannot be read
	 */
	static @Nullable HandlerQuestion read(JsonMapper mapper, String text) {
		try {
			return mapper.readValue(text, HandlerQuestion.class);
		}
		catch (JacksonException ex) {
			logger.debug("A question of another instance cannot be read", ex);
			return null;
		}
	}

	boolean concerns(Delivery delivery) {
		return (this.queue == null || this.queue.equals(delivery.queue()))
				&& (this.claim == null || this.claim == delivery.claimNumber())
				&& (this.id == null || this.id.equals(delivery.uid()) || this.id.equals(delivery.info().id()));
	}

}
