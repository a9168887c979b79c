package io.redelay.queue.actuate;

import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a queue: a page of those in a state, or the ones that a step of a search
 * found.
 *
 * @param messages the messages
 * @param page the number of the page, from 0
 * @param size how many a page can hold
 * @param hasNext whether there is another page
 * @param cursor the place where a search goes on, unless it has seen all messages
 * @param examined how many messages the step looked at
 * @param complete whether a search has seen all messages
 * @param lookedAt when all queues were looked at, if a search of all of them passes over
 * those that had nothing then
 * @param failed the queues that a search of all of them could not read, if there are any
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record MessageList(List<MessageView> messages, @Nullable Integer page, @Nullable Integer size,
		@Nullable Boolean hasNext, @Nullable String cursor, @Nullable Integer examined, @Nullable Boolean complete,
		@Nullable Instant lookedAt, @Nullable List<String> failed) {

	MessageList(List<MessageView> messages, @Nullable Integer page, @Nullable Integer size, @Nullable Boolean hasNext,
			@Nullable String cursor, @Nullable Integer examined, @Nullable Boolean complete,
			@Nullable Instant lookedAt) {
		this(messages, page, size, hasNext, cursor, examined, complete, lookedAt, null);
	}

}
