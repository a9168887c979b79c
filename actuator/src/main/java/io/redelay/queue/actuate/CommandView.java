package io.redelay.queue.actuate;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.admin.CommandOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an action on one message.
 *
 * @param queue the queue
 * @param id the name of the message as it was given
 * @param state the state in which it was found
 * @param done whether it was done, which is the case unless an error is returned
 * @param due when the message is due, if the action sets that
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record CommandView(String queue, String id, String state, boolean done, @Nullable Instant due) {

	static CommandView of(String queue, String id, CommandOutcome outcome) {
		return new CommandView(queue, id, outcome.state().name(), outcome.done(), outcome.due());
	}

}
