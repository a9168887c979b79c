package io.redelay.queue.script.admin;

import java.util.List;

import io.redelay.queue.message.NewMessage;
import org.jspecify.annotations.Nullable;

/**
 * A change of the stored state of a recurring message.
 *
 * @param name the name of the recurring message
 * @param expected the stored state before, or {@code null} if there is none
 * @param replacement the stored state afterwards, or {@code null} to forget it. Each
 * change of a recurring message has another one
 * @param forgetsState whether the state that its runs pass on is forgotten, and no longer
 * saved by runs that have begun
 * @param removed uids of messages that are removed unless they are due
 * @param added messages that are added, each with the time at which it is due, up to ten
 * @since 0.1.0
 */
public record RecurringChange(String name, @Nullable String expected, @Nullable String replacement,
		boolean forgetsState, List<String> removed, List<NewMessage> added) {

}
